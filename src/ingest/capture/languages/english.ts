import { everyPattern, type LanguageRules, part, pattern } from "../language-rules.ts";
import { ENGLISH_CHANGES, ENGLISH_WHOLE_RULES } from "./english-changes.ts";
import { ENGLISH_RELATIONS } from "./english-relations.ts";
import { ENGLISH_RULES } from "./english-rules.ts";

const SUBJECT = part`(?:I|I'm|I've|I'd|I'll|my|we|we're|we've|we'll|our|you|he|she|they|it|it's|this|that|the|there|here|nobody|everybody|somebody|who|which)\b`;
const ORDER = part`(?:please|always|never|don't|do not|just|let's|remember|note|use|call me|avoid|stop|from now on|skip|keep|give|make|tell|write|show|draft|send|redo|fix)\b`;
const ASK = part`(?:can|could|would|will|should|do|does|did|is|are|what|how|why|when|where|which|any)\b`;
const TEXTS = part`(?:e-?mails?|mails?|messages?|logs?|errors?|outputs?|transcripts?|texts?|articles?|paragraphs?|sentences?|snippets?|code|stor(?:y|ies)|poems?|reviews?|tickets?|issues?|reports?|prompts?|letters?|posts?|comments?|files?|stack ?traces?|documents?|docs?|chats?|conversations?|quotes?|lyrics)`;
const WORKS = part`(?:translate|proofread|summari[sz]e|rewrite|rephrase|paraphrase|correct|edit|review|analy[sz]e|explain|classify|parse|convert|format|shorten|improve|polish|spell-?check|fix)`;

/**
 * Matches a whole statement with its verb: "remember the gate code is 4471", but not "remember the
 * time in Rome" and "remember to buy milk".
 */
const TOLD = part`(?!to\b|he\b|she\b|they\b|you're\b|that\b|this\b|these\b|those\b|it\b|me\b|him\b|her\b|them\b|you\b|how\b|what\b|when\b|where\b|who\b|why\b|which\b|if\b|back\b|last\b|the (?:time|day|days|one|ones|thing|moment|way|first|last|good|old)\b)[\p{L}\p{N}\uE000][^,;:]{0,80}? (?:(?:only|always|never|usually) )?(?:answers?|is|are|has|have|can't|cannot|can|needs?|wants?|likes?|prefers?|hates?|loves?|gets|comes?|drinks?|eats?|speaks?|plays|uses?|pays|expects|handles|drives?|knows?|lives?|works?|starts?|begins?|ends?|leaves?|arrives?|closes?|opens?|costs?|takes?|goes|belongs?|means?|stands|runs?|must|should|will|won't|doesn't|don't|isn't|aren't|was|were)\b`;

/**
 * The rules of English; the triggers are in `english-rules.ts`, `english-relations.ts` and
 * `english-changes.ts`.
 */
export const ENGLISH: LanguageRules = {
  hints: pattern`\b(?:I|I'm|I've|I'd|my|we|we're|we've|we'll|our|us|me|you|your|the|a|an|is|are|to|of|and|for|in|that|this|always|never|don't|do|not|please|use|using|avoid|stop|let's|call|remember|suppose|imagine|on|with|has|can't|cannot|doesn't|no|at|when|whenever)\b`,
  subject: "I ",
  withSubject: pattern`^I\b`,
  breaks: everyPattern`
    \s?(?:[;–—:]|\s-\s)\s?
    |\s?[,(]\s?(?:and |but |or |so |yet |because |since |although |though |while |where |in case |as )*
    (?=(?:and|but|or|so|yet|because|since|although|though|while|where|in case)\b|${SUBJECT}|${ORDER}|${ASK})
    (?:and|but|or|so|yet|because|since|although|though|while|where|in case)?\s?
    |(?<weak> and| or)(?: also| then)? (?=${SUBJECT}|please\b|always\b|never\b|don't\b|do not\b|use\b)
    | (?:but|so|because|although|though|while|where|in case) (?=${SUBJECT}|${ORDER})
    |(?<carry> and(?: also| currently| mostly| usually)? (?=(?:work|live|prefer|like|love|hate|speak|drink|study)\b))
  `,
  bareBreak: pattern` (?=(?:I prefer|I'd rather|I'd prefer|I always|I never|I like|we always|we never|we agreed|we decided|we've decided|we settled|we chose|we've chosen|we use|always|never|please|use|don't use|do not use)\b)`,
  leadIn: pattern`^(?:(?:please|also|and|but|so|oh|ok|okay|well|hey|hi|hello|hey there|hi there|yes|yeah|no(?=[,.!:;]| I\b| my\b| we\b)|nope|sure|right|thanks|thank you|great|cool|btw|by the way|fyi|for your information|actually|in fact|honestly|frankly|personally|just so you know|for the record|for (?:future )?reference|in general|generally|one (?:more )?thing|another thing|ok one more thing|ps|p\.s\.|note|important|again|sorry|correction|update|small update|as (?:I said|mentioned|you know)|you should know(?: that)?|you know(?: that)?|I (?:just )?(?:told|tell) you(?: that)?|I said(?: that)?|I think(?: that)?|I guess you should know(?: that)?|to be clear|basically|now|then|first|second|finally|still|scrap (?:that|what I told you(?: earlier)?)|however|these days|nowadays|currently|meanwhile|it's true(?: that)?)(?:[,.!:;]+ ?| ))`,
  remember: pattern`^(?:remember|keep in mind|bear in mind|don't forget|do not forget|never forget|make a note|take note|note down|note|memori[sz]e|save (?:this|that)?(?: to (?:your )?memory)?|store (?:this|that)?(?: in (?:your )?memory)?|add (?:this )?to (?:your )?memory|I want you to remember|I'd like you to remember|can you remember|you (?:should|must|can) remember)(?:(?: this| the following| for (?:later|next time|the future))?(?: ?: ?|, (?=my\b|our\b|I (?!'m)|we\b|the\b|always\b|never\b|don't\b))| that (?!time\b|day\b|one\b|thing\b)| (?=my\b|our\b|I\b|we\b|${TOLD})| to (?=always|never)|,? (?=when I say\b|whenever\b))`,
  condition: pattern`^(?:if|when|whenever|unless|for|in|on|with|while|before|after|as for|regarding|every time|once|until)\b`,
  ownColon: pattern`\b(?:I|I've|I'm|I'd|me|my|we|our|us|things?|notes?|update|rules?|reference|reminder|preferences?|facts?|remember|important|again|also|way|convention|decision|decided|correction|clear|short|summary|ps|fyi|btw|thanks|ok|okay|sorry|please|one more)\b[^:]{0,40}:\s?$`,
  reported: pattern`
    (?<!\bI |\bI've |\bwe |\bI just |\bI already |what I )\b(?:said|says|say|saying|told|tells|tell|wrote|writes|reads|mentioned|mentions|claims|claimed|thinks|thought|believes|insists|insisted|suggests|suggested|recommends|recommended|advises|advised|replied|answered|asked|asks|according to|whether|wonder|wondering|maybe|perhaps|not sure|unsure|not true|doubt|pretend|denied|heard|rumou?r|supposedly|allegedly|named|titled|called)\b
    |\b(?:docs?|documentation|readme|manual|guide|tutorial|article|book|blog|post|page|style ?guide|linter|spec|error|warning|prompt)\b
    |\b(?:I never|I didn't|I don't|I wouldn't|I did not|I do not) (?:say|said|think|mean|know|claim|believe)\b
  `,
  reportedAfter: pattern`^[,.]? ?(?:or so )?(?:(?:he|she|they|it|the \p{L}+|my \p{L}+|\p{L}+) (?:said|says|wrote|writes|told|claims|claimed|thinks|replied|insists)|says|said)\b`,
  hypothetical: pattern`
    \b(?:suppose|supposing|imagine|pretend|pretending|let's say|let us say|let's assume|assume|assuming|hypothetically|hypothetical|what if|for the sake of argument|in theory|as if|as though|if only|role-?play|act as|you are now|in (?:the|this|that|my|a|our) (?:novel|story|dream|screenplay|script|fairy ?tale|sketch|short story|role-?play)|for (?:a|my|the) (?:play|novel|story|sketch|screenplay))\b
    |\bif (?:I|we) (?:were|was|had|lived|worked|preferred|liked|could|wanted|used|moved)\b(?! to choose)
  `,
  question: pattern`^(?:do|does|did|should|shall|can|could|would|will|is|are|am|was|were|has|have|had|may|might|what|what's|which|who|whose|whom|how|why|when|where|whether|isn't|aren't|don't (?:I|you|we|they)|didn't|doesn't)\b.*[?？]`,
  once: pattern`\b(?:(?:this|these) (?!days\b|company|team|project|repo|repository|codebase|code base|org|organi[sz]ation|workspace|account|client|customer|app|service|product|agent|house|office|week(?:day)?s\b)\p{L}+|for now|right now|just now|today|tonight|tomorrow|this once|just once|here|yet|for the moment|at the moment|the (?:above|below|following|previous|attached)|(?:above|below|attached)$|(?:the )?(?:first|second|third|last|next|previous|other) (?:line|paragraph|section|part|one|step|file|page|example|sentence|half|version|draft|image|picture)s?|(?:line|step|page|row|paragraph|section) \d+)\b`,
  pointing: pattern`^(?:(?:it|them|him|her|those|these|that|this|one|both|either|neither|all of|none of|some of|any of)\b(?! when\b| if\b| style\b)|you\b|your\b|how\b|what\b|where\b|the way\b|the idea\b|the (?:look|sound) of\b|to (?:know|see|hear|ask|say|think|do (?:it|that|this))\b|option \w\b|(?:the )?(?:\p{L}+ )?(?:first|second|third|last|latter|former|other|same|new|old|red|blue|green|above|following|proposed) (?:one|ones|option|version|approach|idea|proposal|suggestion|variant|draft|solution|way)\b|the (?:latter|former|other|others|same|above|rest)$|(?:the )?\p{L}+ (?:one|ones|option|version|approach|proposal|suggestion|variant|draft)$)`,
  paste: pattern`
    \b(?:
    (?:this|that|the|these|following)\b(?![^:]{0,60}\b(?:rules?|preferences?|conventions?|guidelines?|facts?)\b)[^.!?:]{0,60}\b${TEXTS}\b[^.!?:]{0,40}:\s*$
    |${WORKS}\b(?! that rule)[^.!?:]{0,100}:
    |(?:here(?:'s| is| are| was)|this is|these are|see|look at|looking at|below (?:is|are)|attached|got|getting|paste[ds]?|from|in|following|read|consider|given)\b(?![^:]{0,60}\b(?:rules?|preferences?|conventions?|guidelines?|facts?)\b)[^.!?:]{0,60}\b${TEXTS}\b[^.!?:]{0,40}:
    |${WORKS}\b[^.!?:]{0,40}\b(?:this|the following|below)\b[^.:]{0,40}[.!?]?$
    |(?:write|draft|compose|create|generate|continue|finish|complete)\b[^.!?:]{0,60}\b(?:${TEXTS}|scene|dialogue?|script|song|speech|essay|bio|persona|monologue|blog|tweet|reply|answer)\b[^.!?:]{0,100}[:.]
    |(?:wrote|writes|said|says|replied|answered|reads|asked|quote) ?:\s*$)
  `,
  tail: pattern`[ ,(]+(?:please|pls|thanks|thank you|thx|ok|okay|by the way|btw|fyi|though|too|as well|if you don't mind|if possible|in case (?:that|it) (?:ever )?matters|just so you know|for (?:future )?reference|after all|you know|cheers|:\)|\))$`,
  filler: everyPattern`\b(?:these days|anymore|any more|any longer|no longer|the|a|an|my|our|your|all|any|every|please|now|nowadays|ever|always|again|instead|at all|from now on|going forward|in (?:the )?future|by default|everywhere|really|just|actually|when|whenever|if|for|I|I'm|we|we're|am|writing|write|working|work|doing|do|coding|code in|using|use|with|in|on)\b`,
  everywhere: pattern`^(?:(?:this|our|my|the) (?:company|team|project|repo|repository|codebase|organi[sz]ation|org|workspace|app|house)|(?:your|the|all|all your) (?:answers|replies|responses|messages|output))\b`,
  ownLabel: pattern`^(?:remember|note|notes|reminder|fyi|btw|ps|p\.s|important|update|also|please|correction|edit|rule|rules|preference|preferences|decision|summary|ok|okay|thanks|sorry|again|actually|first|second|third|finally|convention|fact|facts|memo|tldr|info|me|my|hint|tip|yes|no|hi|hello|hey)\b`,
  rules: [...ENGLISH_RULES, ...ENGLISH_RELATIONS, ...ENGLISH_CHANGES],
  wholeRules: ENGLISH_WHOLE_RULES,
};
