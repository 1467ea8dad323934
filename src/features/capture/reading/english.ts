import { part, pattern, patternOf } from "./pattern.ts";
import { PROGRAMS } from "./programs.ts";

const SUBJECT = part`(?:I|I'm|I've|I'd|I'll|my|we|we're|we've|we'll|our|you|he|she|they|it|it's|this|that|the|there|here|nobody|everybody|somebody|who|which|(?:now|nowadays|these days|currently) (?:I|I'm|we|we're|my|our))\b`;
const ORDER = part`(?:please|always|never|don't|do not|just|let's|remember|note|use|call me|avoid|stop|from now on|skip|keep|give|make|tell|write|show|draft|send|redo|fix|nag|remind)\b`;
const VERB = part`answers?|is|are|has|have|can't|cannot|can|needs?|wants?|likes?|prefers?|hates?|loves?|gets|comes?|drinks?|eats?|speaks?|plays|uses?|pays|expects|handles|drives?|knows?|lives?|works?|starts?|begins?|ends?|leaves?|arrives?|closes?|opens?|costs?|takes?|goes|belongs?|means?|stands|runs?|must|should|will|won't|doesn't|don't|isn't|aren't|was|were`;
const ASK = part`(?:can|could|would|will|should|do|does|did|is|are|what|how|why|when|where|which|any)\b`;
/**
 * Matches a whole statement with its verb: "remember the gate code is 4471", but not "remember the
 * time in Rome" and "remember to buy milk".
 */
const TOLD = part`(?!to\b|he\b|she\b|they\b|you're\b|that\b|this\b|these\b|those\b|it\b|me\b|him\b|her\b|them\b|you\b|how\b|what\b|when\b|where\b|who\b|why\b|which\b|if\b|back\b|last\b|the (?:time|day|days|one|ones|thing|moment|way|first|last|good|old)\b)[\p{L}\p{N}\uE000][^,;:]{0,80}? (?:(?:only|always|never|usually) )?(?:${VERB})\b`;
/** Matches the words before a colon or comma that make the text after it worth keeping. */
const HEADED = part`(?:(?:new |house |ground |standing )?(?:rule|policy|convention|decision|correction|instruction|change of plan)s?(?: (?:from|by|for) [^:]{1,30})?|(?:\p{L}+ )decision)`;

/** Common words of English. The rules are tried only on sentences with such a word, which spares all the others. */
export const HINTS = pattern`\b(?:I|I'm|I've|I'd|my|we|we're|we've|we'll|our|us|me|you|your|the|a|an|is|are|to|of|and|for|in|that|this|always|never|don't|do|not|please|use|using|avoid|stop|let's|call|remember|on|with|has|hasn't|can|can't|cannot|isn't|aren't|doesn't|no|at|from|when|whenever|address|phone|e-?mail|takes|eats|plays|nag|remind|replaces|supersedes|was|were|has|now|stays|keep)\b|'s\b`;
/** Matches what "I'm" stands before: "I'm vegan and allergic to nuts" states two things. */
const CONDITION_OF_MINE = part`(?:allergic to|intolerant to|[\p{L}]{2,12}[- ]intolerant|vegan|vegetarian|pescatarian|diabetic|asthmatic|c(?:o)?eliac|pregnant)\b`;
/** Matches the beginning of a clause whose "I'm" stands in the clause before. */
export const CARRIES_AM = patternOf(
  part`^(?:(?:from|living|working|originally)\b|(?:(?:also|severely|very|highly) )?${CONDITION_OF_MINE})`,
);
/** Matches verbs by which a new job, home or thing begins: "I left Acme and started at Globex" states two things. */
const BEGAN = part`(?:started (?:working )?(?:at|with|for)|(?:started|got|took) (?:a|my) new|joined|moved to|relocated to|switched to|will)\b`;
/** Matches verbs by which something ends. */
const GAVE_UP = part`(?:left|quit|resigned|gave up|sold|stopped)`;
/** Matches a statement that adds a value to what holds: "I also work at Acme". */
export const ADDS = pattern`\balso\b|\b(?:as well|too|on the side)[ .!]*$`;
/** Matches the part of the time in which a statement holds: "I work at Acme on Fridays". */
export const PART_TIME =
  /(?<!\p{L})(?:(?:on (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days|every(?: other)? (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)|(?:on|at) (?:the )?weekends|(?:during|in) (?:the )?(?:week|winters?|summers?|autumns?|term(?: time)?|holidays|season)|(?:one|two|three|four|a|\d) days? (?:a|per) (?:week|month)|(?:half|part|most) (?:of )?the (?:time|week|month|year)|every (?:other|second) (?:day|week|weekend|month)|in the (?:evenings|mornings|afternoons)|(?:during|at) (?:the )?nights?|part[- ]time(?= (?:at|for|in|as|on|now)(?!\p{L})|[ .!]*$)|sometimes|occasionally)(?!\p{L})/u;
/** Matches the places where a sentence is cut. Group `weak`: only "and" joins the clauses. Group `carry`: the next clause has no subject of its own. */
export const BREAKS = patternOf(
  part`
    \s?(?:[;–—]|\s-\s|:(?=\s|$))\s?
    |\s?[,(](?!(?:my|our) [\p{L}-]{1,20}(?: [\p{L}-]{1,20})?[,)])\s?(?:and |but |or |so |yet |because |since |although |though |while |where |in case |as )*
    (?=(?:and|but|or|so|yet|because|since|although|though|while|where|in case)\b|${SUBJECT}|${ORDER}|${ASK})
    (?:and|but|or|so|yet|because|since|although|though|while|where|in case)?\s?
    |,? (?:but )?(?=(?:now )?\p{Lu}[\p{L}'-]{1,30} is(?: now)?[ .!]*$)
    |,(?: and| so| but)? (?=(?:now )?\p{Lu}[\p{L}'-]{1,30} (?:is (?:now )?|took over as |takes over as )(?:my|our) )
    |(?<weak> and(?! I (?:are|got|have|divorced|separated|split|broke|were)\b)| or)(?: also| then)? (?=${SUBJECT}|please\b|always\b|never\b|don't\b|do not\b|use\b)
    | (?:but|so|because|although|though|while|where|in case) (?=${SUBJECT}|${ORDER})
    |(?<carry> and(?: also| now| currently| mostly| usually)? (?=(?:work|live|prefer|like|love|hate|speak|drink|study|play)\b)| and(?: have| then| just| recently| finally)? (?=${BEGAN})|(?<=\bI(?:'ve| have)?(?: just| finally| recently)? ${GAVE_UP}\b[^,;]{1,60}) and (?=(?:now )?(?:\p{Ll}{2,}ed|went|came|took|got|made|had|began|became|am|use|will)\b)|(?<=\bI(?:'m| am)(?: [\p{L}'-]{1,20}){1,4}) and (?=(?:(?:also|severely|very|highly) )?(?:${CONDITION_OF_MINE}))|, (?:and )?(?=(?:originally from|from \p{L}+ originally|living in|working (?:at|as|for))\b))
  `,
  "dgiu",
);
/** Matches, behind a cut, a thing without a verb: "and the kids" is the rest of a list, and no statement. */
export const BARE_THING = pattern`^(?:the|my|our)(?! (?:[\p{L}\p{M}'-]+ ){0,4}(?:${VERB}|had|did|does|do|would|could|may|might|hasn't|haven't|sleeps?|says?|thinks?|said|told|makes?|helps?|hurts?|looks?|keeps?|stays?|sees?|walks?|buys?|teach(?:es)?|studies|owns?|does|moved|died|left|called|came|went)\b)(?: [\p{L}\p{M}\p{N}'-]+){1,5}(?=$|[,.;:!)]| and\b| or\b)`;
/** Matches where a sentence that begins with a condition is cut once more: before a trigger without a comma. */
export const BARE_BREAK = pattern` (?=(?:I prefer|I'd rather|I'd prefer|I always|I never|I like|we always|we never|we agreed|we decided|we've decided|we settled|we chose|we've chosen|we use)\b)|(?<=^(?:for|in|on|with) (?:\p{L}+ ){0,2}\p{L}+) (?=(?:always|never|please|use|don't use|do not use)\b)`;
/** Matches words before a clause that say nothing. They are removed one at a time. */
export const LEAD_IN = pattern`^(?:\(?\d{1,2}[).] |(?:please|pls|plz|also|and|but|so|oh|ok|okay|well|hey|hi|hello|morning|good morning|hey there|hi there|yes|yeah|no(?=[,.!:;]| I\b| my\b| we\b)|nope|sure|right|thanks|thank you|great|cool|btw|by the way|fyi|for your information|actually|in fact|honestly|frankly|personally|just so you know|for the record|for (?:future )?reference|in general|generally|one (?:more )?thing|another thing|ok one more thing|ps|p\.s\.|note|important|again|sorry|correction|update|small update|(?:good|great|big|bad|sad) news,|as (?:I said|mentioned|you know)|you should know(?: that)?|you know(?: that)?|I (?:just )?(?:told|tell) you(?: that)?|I said(?: that)?|I think(?: that)?|I guess you should know(?: that)?|to be clear|basically|now|then|first|second|finally|still|scrap (?:that|what I told you(?: earlier)?)|however|these days|nowadays|currently|meanwhile|it's true(?: that)?|unrelated|anyway|change of plan|(?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter|weekend)|(?:two|three|four|five|six|a few|\d{1,2}) (?:days|weeks|months|years) ago|yesterday|recently|since (?:last )?\p{L}+|as of (?:today|now|\p{L}+)|(?:it )?turns out(?: that)?|on second thoughts?|in (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4}))(?:[,.!:;]+ ?| ))`;
/** Matches, up to the end of a sentence, what a thing is for or when: "for the dinner in December". */
const OCCASION = part`(?:for|on|in|at|by|before|after|until|till|from|with|during|about|when)(?! .*\b(?:${VERB}|I|I'm|we|we're|you|he|she|it|they|there)\b) (?:(?:the|my|our|your|his|her|their|this|next|every|a|an|all) )?[\p{L}\p{N}':]+(?: [\p{L}\p{N}':]+)?(?: (?:in|on|at|of|for|to|with|by|from) (?:(?:the|my|our|your|this|next|a|an) )?[\p{L}\p{N}':]+){0,2}(?:,? (?:please|pls|thanks|thank you|ok|okay))?[ .!)]*$`;
/** Matches "Remember that". The clause after it is kept even if no rule matches. */
export const REMEMBER = pattern`^(?:(?:remember|keep in mind|bear in mind|don't forget|do not forget|never forget|make a note|take note|note down|note|memori[sz]e|save (?:this|that)?(?: to (?:your )?memory)?|store (?:this|that)?(?: in (?:your )?memory)?|add (?:this )?to (?:your )?memory|I want you to remember|I'd like you to remember|can you remember|you (?:should|must|can) remember)(?:(?: this| the following| for (?:later|next time|the future))?(?: ?: ?|, (?=my\b|our\b|I (?!'m)|we\b|always\b|never\b|don't\b))| that (?!time\b|day\b|one\b|thing\b|${OCCASION})| (?=my\b|our\b|I\b|we\b|${TOLD})| to (?=always|never)|,? (?=when I say\b|whenever\b))|${HEADED}: )`;
/** Matches, up to the end of a sentence, a clause that says when a fact matters: "when I ask for recipes". */
const WHILE = part`(?:when|whenever|if|before|while|once|next time) (?:I|I'm|we|we're|you|you're|he|she|they) [^,;:]{2,60}`;
const ASKED = part`(?:please |pls |plz |you (?:should|must) |can you (?:please )?)?(?:(?:remember|memori[sz]e|note) (?:that|this|it)(?: down)?|(?<=please |pls |plz )remember|(?:do(?:n't| not)|never) forget(?: about)?(?: (?:that|this|it))?|(?:keep|bear) (?:that|this|it) in mind|(?:save|store) (?:that|this|it) (?:to|in) (?:your )?memory|(?:make|take) (?:a )?note(?: of (?:that|this|it))?)(?:,? (?:please|pls|thanks|thank you|ok|okay|for (?:me|later|next time|the future))){0,2}(?: ${OCCASION}| ${WHILE})?[ .!)]*$`;
/** Matches a request to remember what stands before it in the sentence: "The code is 4471, please remember that." */
export const REMEMBER_BEHIND = pattern`(?:[,;(] ?| [-–—] )(?:and |so |but )?${ASKED}`;
/** Matches a sentence that only asks to remember the sentence before. */
export const REMEMBER_ALONE = pattern`^(?:and |so |but )?${ASKED}`;
/** Matches a whole statement, which needs no "remember that" before it. */
export const STATED = pattern`^(?:my\b|our\b|I\b|we\b|${TOLD})`;
const JOKE = part`(?:(?:(?:I'm|I am|I was) )?(?:(?:just|only|totally) )?(?:kidding|joking|messing with you|pulling your leg)|jk|j/k|not really|psych|april fools?|(?:that|this|it)(?:'s| is| was) (?:just |only )?(?:a joke|a lie|not true)|I take (?:that|it) back|(?:scratch|strike|ignore|forget) (?:that|this|what I (?:just )?said)|never ?mind)(?= ?(?:$|[.,!;:)…–—]| - | haha| lol))`;
const DROPPED = part`(?:I|we|they)(?:'ve| have| had)?(?: since| then| later| now| just| actually| soon| already| quickly)? (?:(?:dropped|scrapped|cancell?ed|reverted|undid|abandoned|ditched|gave up on|rejected|reversed|called off) (?:it|that|this|the (?:idea|plan|decision))\b(?! off\b)|(?:called|turned) it (?:off|down)|changed (?:my|our) minds?(?: (?:about|on) (?:it|that|this))?(?= ?(?:$|[.,!;])))`;
/** Matches words that take back what stands before them. Group `drops`: only the statement directly before. */
export const TAKEN_BACK = pattern`(?:[,;:(.…!–—] ?| - | (?:but|and|haha|lol) | (?=(?:jk|j/k|just kidding)\b))(?:but |and |haha,? |lol,? |oh,? |no,? ){0,2}${JOKE}|(?:[,;(–—] ?| - | )(?<drops>(?:but|and then|and later|then|though|although|however)(?:,? (?:then|later|in the end|eventually|soon|afterwards|since)){0,2},? ${DROPPED})`;
/** Matches a beginning of a sentence that takes back the sentence before. */
export const TAKES_BACK = pattern`^(?:haha,? |lol,? )?(?:${JOKE}|(?<drops>(?:(?:later|in the end|eventually|soon|afterwards),? )?${DROPPED}))`;
/** Matches words that call the statement before wrong: "I told you my car is a Fabia, that's wrong". */
const WRONG = part`(?:which|that|this|it)(?:(?:'s| is| was)(?: actually| just| completely| all| my)? (?:wrong|incorrect|untrue|mistaken|not (?:right|true|correct)|(?:an? )?typo)|(?:(?:'s| is)(?: an?| my)|(?<=which) was an?| was my) (?:mistake|error)|(?: isn't| wasn't) (?:right|true|correct))(?= ?(?:$|[,.:;!)…–—]| - | and | but | sorry\b))`;
const PLAIN = part`${WRONG}|no,? wait|wait,? no|hang on|hold on|(?:sorry,? )?I (?:really |actually )?mean(?:t)?(?: to (?:say|write|type))?(?! to\b| it\b| that\b)|(?:small |quick )?corrections?|typo|(?:scratch|strike) that|make (?:that|it)|or rather|rather|actually|oops|ooops|whoops|my (?:mistake|bad)|I misspoke|I made a (?:mistake|typo)|I mixed (?:that|it|them) up|I (?:got|had) (?:that|it) wrong|(?:that|it) should (?:be|say|read|have been|have said)|wrong(?: (?:one|number|name))?(?= ?[,.:;!]|$)`;
const DOUBTFUL = part`sorry(?: about that)?|no|nope|wait|apologies|pardon|excuse me|ah|oh|er|erm|um|uh|hm+|argh|ugh`;
const MARKS = part`(?:(?:${PLAIN}|${DOUBTFUL})\b(?: ?[,.:;!…–—-]+ ?| (?=(?:${PLAIN}|${DOUBTFUL})\b)|(?<=(?:${PLAIN})) |$)){1,5}`;
/** Matches the words before a corrected value, at the beginning of a sentence: "No, wait: ". */
export const CORRECTS = pattern`^(?:but |and )?${MARKS}`;
/** Matches such words in a sentence, behind what they correct. */
export const CORRECTS_INSIDE = pattern`(?:\.{2,3} ?| ?[,;(–—…] ?| - | (?=(?:no,? wait|wait,? no|no,? sorry)\b)| (?=(?:but |and )${WRONG}))(?:but |and )?(?<marks>${MARKS})`;
/** Matches words of a correction that can mean nothing else. */
export const PLAINLY = pattern`(?:^|[^\p{L}])(?:${PLAIN})(?![\p{L}])|\bno,? sorry\b`;
/** Matches words that say that the statement before was wrong, whatever follows. */
export const MISTAKEN = pattern`\b(?:wait|meant|corrections?|typo|scratch|strike|mistake|mistaken|error|incorrect|untrue|(?:not|isn't|wasn't) (?:right|true|correct)|misspoke|wrong|should)\b`;
/** Matches words of a correction that still mean the speaker's own words after somebody has answered. */
export const MISSAID = pattern`\b(?:meant|corrections?|typo|o+ps|whoops|mistake|misspoke|mixed|my bad|(?:scratch|strike) that)\b`;
/** Matches the words behind the marks of a correction. Group `value`: the corrected value. */
export const CORRECTED_TO = pattern`^(?<is>(?:it's|it is|that's|he's|she's|they're|(?:his|her|its|the) name is|the (?:right|correct) (?:one|number|name) is) (?:an? |the |called )?)?(?<value>.{0,80}?)(?:,? (?:not|instead of|and not) .{1,60})?(?:[ ,]+(?:of course|please|obviously))?[ .!)…]*$`;
/** Matches words behind "sorry" or "no" that go on with something else, and correct nothing. */
export const GOES_ON = pattern`^(?:${SUBJECT}|${ORDER}|${ASK}|about|for|to|that|thanks?|thank you|thx|wrong|seriously|really|yes|yeah|worries|problem|busy|late|if|but|because|though|guys|all|everyone|again|not|never|\p{L}+ly\b|\p{L}+ing\b)`;
/** Matches a date. */
export const DATED = pattern`\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b`;
/** Matches a line that announces rules. Each item of the list after it is one. */
export const RULES_AHEAD = pattern`^(?:my |some |here are |these are |our |the |a few |few |more )*(?:ground |house |basic |general |new |standing )?(?:rules|preferences|conventions|guidelines|instructions)\b[^.!?:]{0,60}:$|[.!] (?:my |some |a few )?(?:ground |house |basic |standing )?(?:rules|preferences|conventions|guidelines|instructions)\b[^.!?:]{0,60}:$`;
/** Matches a beginning of a sentence that belongs to the clause after it. */
export const CONDITION = pattern`^(?:if|when|whenever|unless|for|in|on|with|while|before|after|as for|regarding|every time|once|until)\b`;
/** Matches the text before a colon when the speaker continues in his own words. */
export const OWN_COLON = pattern`(?:\b(?:I|I've|I'm|I'd|me|my|we|our|us|things?|notes?|update|rules?|policy|reference|reminder|preferences?|facts?|remember|important|again|also|way|convention|decision|decided|correction|changed?|clear|short|summary|ps|fyi|btw|thanks|ok|okay|sorry|please|pls|unrelated|one more)\b[^:]{0,40}|^so|^(?:diet|food|allerg(?:y|ies)|health|job|work|home|family|hobb(?:y|ies)|languages?|location|(?:(?:good|great|big|bad|sad|happy|quick|some|more) )*news(?: everyone| all)?)):\s?$`;
/** Matches, before a clause, that somebody else says it, or that it is doubted or denied. */
export const REPORTED = pattern`
  (?<!\bI |\bI've |\bwe |\bI just |\bI already |what I )\b(?:said|says|say|saying|told|tells|tell|wrote|writes|reads|mentioned|mentions|claims|claimed|thinks|thought|believes|insists|insisted|suggests|suggested|recommends|recommended|advises|advised|replied|answered|asked|asks|according to|whether|wonder|wondering|maybe|perhaps|probably|hopefully|not sure|unsure|not true|doubt|pretend|denied|heard|rumou?r|supposedly|allegedly|(?:named|titled|called)(?! [\p{L}'-]{1,20}(?:,| and\b| but\b))|dreamt|dreamed)\b
  |\b(?:docs|documentation|readme|manual|guide|tutorial|article|book|blog|post|page|style ?guide|linter|spec|error|warning|prompt)\b
  |\b(?:I never|I didn't|I don't|I wouldn't|I did not|I do not) (?:say|said|think|mean|know|claim|believe)\b
`;
/** Matches, after a clause, that somebody else said it. "The doctor says she outgrew it" is a reason of its own. */
export const REPORTED_AFTER = pattern`^[,.]? ?(?:or so )?(?:(?:he|she|they|it|the \p{L}+|my \p{L}+|\p{L}+) (?:said|says|wrote|writes|told|claims|claimed|thinks|replied|insists)|says|said)\b(?! (?:(?:me|us) )?(?:(?:that )?(?:he|she|they|I|we|you|it(?:'s| is| was| has| will))\b|(?:not )?to (?!me\b|us\b|him\b|her\b|them\b|you\b|my\b|the\b)))`;
/** Matches, anywhere in a sentence, that it is made up. */
export const HYPOTHETICAL = pattern`
  \b(?:suppose|supposing|imagine|pretend|pretending|let's say|let us say|let's assume|assume|assuming|hypothetically|hypothetical|what if|(?:for|in) the sake of (?:the |an? |this )?(?:argument|example|exercise|demo|test|story)|in theory|as if|as though|if only|role[ -]?play|let's play an?|game (?:where|in which)|act as|you are now|in (?:the|this|that|my|a|our) (?:novel|story|dream|screenplay|script|fairy ?tale|sketch|short story|role-?play|game|movie|film|simulation)|for (?:a|my|the) (?:play|novel|story|sketch|screenplay))\b
  |^(?:(?:so|ok|okay|now|and|well|say),? )?(?:for|in|as) (?:(?:an?|this|the sake of (?:an?|the|this)) )?(?:quick |simple |little )?(?:example|exercise|demo|test|experiment|quiz|puzzle|riddle|scenario|thought experiment|illustration|joke)(?: only)?[,:]
  |\bif (?:I|we) (?:were|was|had|lived|worked|preferred|liked|could|wanted|used|moved)\b(?! to choose)
`;
/** Matches a sentence that is a question as a whole. A sentence that only ends in a question is cut first. */
export const QUESTION = pattern`^(?:do|does|did|should|shall|can|could|would|will|is|are|am|was|were|has|have|had|may|might|what|what's|which|who|whose|whom|how|why|when|where|whether|isn't|aren't|don't (?:I|you|we|they)|didn't|doesn't)\b.*[?？]`;
/** Matches a statement about a single occasion or thing. */
export const ONCE = pattern`\b(?:(?:this|these) (?!days\b|company|team|project|repo|repository|codebase|code base|org|organi[sz]ation|workspace|account|client|customer|app|service|product|agent|house|office|week(?:day)?s\b)\p{L}+|for now|right now|just now|today|tonight|tomorrow|this once|just once|here|yet|for the moment|at the moment|the (?:above|below|following|previous|attached)|(?:above|below|attached)$|(?:the )?(?:first|second|third|last|next|previous|other) (?:line|paragraph|section|part|one|step|file|page|example|sentence|half|version|draft|image|picture)s?|(?:line|step|page|row|paragraph|section) \d+)\b`;
/** Matches a state that will end, or that has not begun. It changes nothing that holds. */
export const PASSING = pattern`\b(?:until|till|til|temporarily|for (?:now|the (?:moment|time being|day|week|weekend|month|summer|winter|holidays|season)|(?:a|one|two|three|four|five|six|a few|a couple of|\d{1,2}) (?:nights?|days?|weeks?|months?)(?! now))|(?<!since )this (?:week|weekend|month|summer|winter)|soon|next (?:week|month|year|spring|summer|autumn|fall|winter)|(?:from|as of|on) (?:next|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:starting|beginning) (?:next|tomorrow|in|on)|(?:might|may|maybe|perhaps|would|could|planning|plan|going) to|while (?:I'm|we're|my|our|the)|if|unless|almost|nearly)\b`;
/** Matches a state that has begun: "I started at Acme on Monday" tells when. */
export const BEGUN = pattern`^(?:I|we)(?:'ve| have)?(?: just| finally| recently)? (?:moved|relocated|started|joined|settled)\b`;
/** Matches a value that means nothing without the text before. */
export const POINTING = pattern`^(?:(?:it|them|him|her|those|these|that|this|one|both|either|neither|all of|none of|some of|any of)\b(?! when\b| if\b| style\b)|you\b|your\b|how\b|what\b|where\b|the way\b|the idea\b|the (?:look|sound) of\b|to (?:know|see|hear|ask|say|think|do (?:it|that|this))\b|option \w\b|(?:the )?(?:\p{L}+ )?(?:first|second|third|last|latter|former|other|same|new|old|red|blue|green|above|following|proposed) (?:one|ones|option|version|approach|idea|proposal|suggestion|variant|draft|solution|way)\b|the (?:latter|former|other|others|same|above|rest)$|(?:the )?\p{L}+ (?:one|ones|option|version|approach|proposal|suggestion|variant|draft)$)`;
/** Matches an end that means nothing without the text before. */
export const POINTS_BACK = pattern`\b(?:in|on|of|for|with|about|like|from|by|at|than|make|making|do|doing|see|seeing|using|use|(?:to|of) \p{L}+) (?:it|this|that|these|those|them|one)$`;
/** Matches a clause that says only when: "when I ask for recipes". */
export const ONLY_WHEN = pattern`^(?:when|whenever|if|before|while|once|until|after|because) [^,;:]*$`;
/** Matches the words by which somebody gives something up for good. */
export const FOR_GOOD = pattern`\b(?:no longer|any ?more|any longer)\b`;
/** Matches a permission that takes back a standing "never" or "don't". */
export const PERMITS = pattern`^(?:(?:you (?:may|can)(?: now)?|you(?:'re| are)(?: now)? (?:allowed|free) to|feel free to|it's (?:fine|ok|okay|all right) to) |(?=(?:use|add|include)\b))(?<value>\p{L}+ .{2,160}?) again(?: now)?$`;
/** Matches what follows a denial behind a comma: "no longer allergic to nuts, luckily". The rest of a list belongs to it. */
export const REMARK = pattern`(?<=\b(?:any ?more|any longer|after all)),? ?[,(].*$|,(?![^,]*(?:,| (?:and|or|but)\b))[^,]*$`;
/** Matches a habit or a possession that replaces the one before. */
export const NEW_HABIT = pattern`^(?!.*\balso\b).*\b(?:now(?:adays)?|these days|from now on)\b`;
/** Matches the words of `NEW_HABIT` before the statement itself: "These days, I run on Fridays". */
export const BEGINS_NEW = pattern`(?:^|[,.;] )(?:now|nowadays|these days|from now on)[,.]? $`;
/** Matches words at the end of a statement. They are removed one at a time. */
export const TAIL = pattern`[ ,(]+(?:please|pls|thanks|thank you|thx|ok|okay|by the way|btw|fyi|though|too|as well|lol|haha|if you don't mind|if possible|in case (?:that|it) (?:ever )?matters|just so you know|for (?:future )?reference|after all|you know|cheers|:\)|\))$`;
/** Matches when something ended, behind the name of the thing. */
export const WHEN = pattern`,? (?:(?:back )?(?:in|on|at|since|last|this|at the (?:end|beginning) of|early|late) (?:early |late |the (?:end|beginning) of |last )?(?:(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|christmas|easter|week|month|year|weekend|\p{L}{3,6}day)s?(?: \d{1,4}(?:st|nd|rd|th)?)?|\d{4})|yesterday|today|now|recently|for good|completely|already|(?:two|three|four|five|six|a few|\d{1,2}|a|an?|some) (?:days?|weeks?|months?|years?|while|time) ago|because .{1,80}|after .{1,60})$`;

/** Matches an order to a person about this person's own life, which is no order to an assistant. */
export const ADVICE = pattern`\b(?:yourself|your (?!(?:own )?(?:answers?|repl(?:y|ies)|responses?|messages?|outputs?|summar(?:y|ies)|explanations?|reviews?|lists?|code|e-?mails?|drafts?|reports?|texts?|writing|tone|memory|suggestions?|plans?|calculations?|examples?|sources?|commits?|tests?|comments?|tables?)\b))`;

const PROPER = part`\p{Lu}[\p{L}\p{M}\p{N}'.&-]{0,40}`;
/** First names that end like the words of a nation: "I'm Brian" is no "I'm Belgian". */
const LIKE_NATION = part`(?:Bri|Adri|Juli|Fabi|Vivi|Dori|Dami|Demi|Lilli|Gilli|Flori|Sebasti|Basti|Christi|Cristi|Maximili|Kili|Luci|Mari|Cassi|Oktavi|Octavi)an|[SJD]ean|Trish\b`;
/** First names that end like a participle. */
const LIKE_PARTICIPLE = part`(?:Ahm|M[ou]ham+|Alfr|Wilfr|Manfr|Siegfr|Winifr|Fr|Jar|Sy|Khal|Wale|Sae|Rash|Maj|Ham)ed(?!\p{L})|Xiaoming|Sterling`;
/** The nations, religions and parties that people are of. */
const KIND_OF_PERSON = part`(?!${LIKE_NATION})\p{L}{1,20}(?:ish|ese|ian|ean)|German|French|American|Korean|Dutch|Greek|Swiss|Jewish|Muslim|Catholic|Hindu|Sikh|Republican|Democrat|Czech|Slovak|Thai|African|Israeli|Arab|Zealander`;
/** Excludes words that have a capital only because they begin a sentence, and "I'm German" as a name. */
const NO_NAME = part`(?!(?:I|He|She|It|We|You|They|This|That|These|Those|There|Here|Who|What|Which|Where|When|How|Why|(?:Every|Some|Any)\p{L}{0,10}|No|Nobody|None|Nothing|One|All|Both|Most|Many|People|Today|Tomorrow|Yesterday|My|Our|Your|His|Her|Its|Their|The|A|An|And|But|So|If|Then|Now|Maybe|Perhaps|Not|Never|Always|Just|Only|Sorry|Sure|Fine|Done|Good|Great|Back|Home|Hungry|Tired|Sick|Happy|Sad|Late|Busy|Ready|Confused|Serious|Pregnant|${KIND_OF_PERSON}|CEO|CTO|CFO|COO|VP|HR|OK|SRE|DBA|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?!${LIKE_PARTICIPLE})\p{L}{2,20}(?:ing|ed))(?![\p{L}\p{M}]))`;
const NAMED = part`${NO_NAME}${PROPER}(?: (?:(?:van|von|de|del|della|di|da|der|den|the|of|and|&) ){0,2}${PROPER}){0,5}`;
const MONTH = part`\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b`;
const WEEKLY = part`\b(?:(?:every|each)(?: \p{L}{1,12})? (?:day|week|month|year|quarter|morning|evening|night|noon|weekend|hour|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|daily|weekly|monthly|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b`;

/** Excludes numbered steps and times, which are no places. */
const NO_STEP = part`(?!(?:the )?(?:(?:[Ss]tep|[Ll]evel|[Pp]age|[Ll]ine|[Cc]hapter|[Ss]tage|[Pp]hase|[Vv]ersion|[Pp]art|[Ss]ection|[Ww]eek|[Qq]uestion|[Ll]esson|[Ss]lide|[Tt]ask|[Ss]print) ?\d|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|June|July|August|September|October|November|December)(?![\p{L}\p{M}]))`;

/** Excludes programs, services and departments, to which people move too: "I moved to Linux" is no move of home. */
const NO_PROGRAM = part`(?!(?:the )?(?:${PROGRAMS})(?![\p{L}\p{M}\p{N}]))`;

/** The looks that the text of a group must have. An `i` after the name ignores the case. */
export const LOOKS: ReadonlyMap<string, RegExp> = new Map(
  part`
    PROPER :: ^(?:the )?["'“„«\x60]?\p{Lu}
    NAMED :: ^${NAMED}$
    FULL :: ^${NO_NAME}(?!On |Very |So |Too |In |At |New |Gen |Generation |Team |Level |Plan |Type |Class |Group |Number |Player |Size |Roman |Half )(?!.* (?:${KIND_OF_PERSON}|FC|Rising)$)${PROPER} (?:(?:van|von|de|di|da) )?(?=\p{Lu}\p{Ll}|\p{Lu}['’])${PROPER}$
    SINGLE :: ^${NO_NAME}\p{Lu}\p{Ll}{1,30}$
    CALLED :: ^["'“„«]|^(?:(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|[Pp]rof)\.? )?${NO_NAME}${PROPER}(?: (?:(?:van|von|de|del|della|di|da|der|den|the) ){0,2}${PROPER}){0,3}$
    GIVEN :: ^(?!(?:(?:mis-?)?spel(?:led|t)|pronounced|written|usually|often|always|sometimes|shortened|handled|missing|mentioned|listed|short)\b)(?:.*\p{Lu}|["']|\p{L}+$)
    SOMEBODY :: ^(?:(?:[Mm]y|[Oo]ur|[Tt]he) \p{L}|${NAMED}$)
    SEVERAL :: ^\p{Lu}.* and \p{Lu}
    PLACED :: ^${NO_STEP}${NO_PROGRAM}(?!\p{Lu}[\p{L}-]*['’]s (?:team|group|department|project|class|table|side|squad|branch|version)\b)(?:the |a |an )?(?:(?:\p{Ll}{1,20} ){0,3}(?:village|town|suburb|city|island|farm) |(?:north|south|east|west|central|downtown|upstate) )?\p{Lu}|^\d{1,5}\p{L}?(?: \p{Lu}[\p{L}.'-]*,?){2,5}(?:$| in \p{Lu})|^(?:an?|the|our|my) (?:\p{Ll}{1,20} ){0,3}(?:house|flat|apartment|home|place) (?:in|at|near|on) \p{Lu}|^an? (?:\p{Ll}{1,20} ){0,2}(?:house|flat|apartment|village|town|suburb|farm|city|island)\b
    LIVED i :: ^(?!(?:a |the )?(?:\p{Ll}{1,20} )?(?:file|folder|repo|repository|branch|server|cloud|cluster|database|class|module|package|data|assumption|feedback|results?|code|chaos|luxury|sin|harmony|comfort|limbo|constant|terminal|editor|shell|command line|browser|ide|places?|situation|relationship)\b)
    HOUSE :: ^${NO_STEP}\p{Lu}[\p{L}.' -]{0,40} \d
    EMPLOYER :: ^(?:the |an? )?(?:\p{Ll}{1,20} ){0,5}\p{Lu}|^(?:an?|the) (?:[\p{L}-]{1,20} ){0,3}(?:hospital|company|bank|school|university|startup|start-up|firm|agency|council|ministry|government|shop|store|restaurant|bakery|library|museum|clinic|practice|studio|factory|ngo|charity|nonprofit|hotel|airline|newspaper|lab|institute)\b|^myself$
    ALLERGEN i :: ^(?!(?:me|you|work|working|fun|nonsense|mondays?|meetings?|bullshit|people|stupidity|boredom|idiots?|drama|math|exercise|it|that|this|change|mornings?|deadlines?)\b)
    GENERIC i :: ^(?!(?:the|his|her|their|its|your|that|this|all the|all of|these|those|to$|it|i|we|when you|it when you|thought|being here)(?:\s|$)|(?:theme|me|us|one|mondays)$|\p{L}+ing (?:(?:to|in|into|with|at|on|for|about|of|lost|around|out) ){0,2}(?:them|it|him|her|that|those)(?!\p{L})|.* (?:that|this|it|them|those|these|him|her)$)
    ASKED i :: ^(?!(?:go|do|get|take|bring|look|show|be|give) )
    REGULAR i :: ${WEEKLY}|\b(?:once|twice) a (?:day|week|month)\b
    SPOKEN :: (?:speak|learning|study|studying) \p{Lu}
    CHOSEN i :: ^(?!an? |(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|the same|the next|for a |my |another|the (?:new|other|second|next|left|right|top|bottom|end|start)\b|production\b|staging\b|main\b|master\b|shopping|home|on holiday|away|well|crazy|to bed|it$|them$|that$|this$|plan|step|\p{L}+ing )
    NO_ARTICLE i :: ^(?!an? )
    VERSIONED :: ^\p{Lu}\S{0,40} v?\d{1,4}\.\d
    REACHED :: ^[+(]?\d(?!.*\b(?:digits?|characters|long|chars)\b)|^\S+@\S+|^\p{Lu}.*\d|^the \d|${MONTH}|^[SMLX]{1,3}$|^(?:A|B|AB|O|0)\b
    REPEATED i :: \d|\b\p{L}+days?\b|${WEEKLY}
    DOSED :: ^\p{Lu}[\p{L}-]{2,30} \d
    VERSION :: ^(?:\p{Lu}\S{1,20} )?v?\d{1,4}(?:\.\d|\b)
    SHOWN :: \p{Lu}|\d|\w\.\w
    MONTH i :: ${MONTH}|\d{4}-\d\d|\b\d{1,2}[./]\d{1,2}\b
  `
    .trim()
    .split("\n")
    .map((line) => {
      const [head = "", source = ""] = line.trim().split(" :: ");
      const [name = "", flag = ""] = head.split(" ");
      return [name, patternOf(source, `du${flag}`)];
    }),
);

const LEFT = part`I(?:'ve| have)?(?: just| finally| recently)?`;
/** Excludes the speaker as the subject, and words that only point at something. */
const ANOTHER = part`(?!(?:I|I'm|we|we're|you|he|she|it|they|this|that|these|those|there|here|what|who|which|when|if)\b)`;
/** Excludes what denies only a degree: "Ida is not severely allergic". */
const NO_DEGREE = part`(?!(?:severely|very|highly|badly|mildly|only|just|always|strictly|a strict|yet|the only)\b)`;
const PARTED = part`(?:divorced|separated|split up|broke up|broken up|getting divorced|no longer (?:together|married|a couple)|not (?:together|married|a couple) any ?more)`;
/**
 * The forms of denial. A line has the beginnings of the denied statement's key, the statement that is
 * denied, made of the groups of the pattern, and the pattern.
 */
export const DENIALS: readonly {
  readonly keys: readonly string[];
  readonly denied: string;
  readonly pattern: RegExp;
}[] = part`
  any :: $1 :: (?:please )?forget (?:that )?(?=(?:I|I'm|I am|we|we're|my|our) )(?!(?:I|we) (?:said|told|asked|mentioned|wrote|ever)\b)(.{3,120})
  any :: $1$2 :: (.{1,80}?)(?: no longer| not any ?more)(?= )(.{1,160})
  any :: $1 $2 :: (.{1,80}?) (?:don't|do not|doesn't|does not)(?: (?!(?:f|re|app|rep|supp)ly\b)\p{L}+ly)? (.{1,160}?),? (?:any ?more|any longer)
  any :: $1 $2 :: (.{1,80}?(?: am| is| are|'m|'s|'re))(?:n't| not) (.{1,160}?),? (?:any ?more|any longer)
  allergy:|health:|life: :: $1 $2 :: ${ANOTHER}((?:.{1,80}?)(?: is| are|'s))(?:n't| not)(?: actually| in fact)? ${NO_DEGREE}(.{1,160})
  allergy:|health:|life: :: $1 has $2 :: ${ANOTHER}(.{1,80}?) (?:has no|hasn't got|has not got|has never had|never had)(?: an?| any)? (.{1,160})
  allergy:|health:|life: :: $1 $2 :: ${ANOTHER}(.{1,80}?) (?:doesn't|does not)(?: actually| in fact)? ${NO_DEGREE}(.{1,160})
  health: :: $1 can't $2 :: ${ANOTHER}(.{1,80}?) (?:can|is allowed to)(?: now)? ((?:eat|drink|tolerate|digest|have|take) .{1,60}?)(?: again| now)
  any :: $1 $2$3 :: (I|we)(?:'ve| have)?(?: just| finally| recently)? (?:stopped|quit|given up|gave up) (\p{L}+?)(?:(?<=[bdgmnpt])[bdgmnpt])?ing\b(.{0,120})
  any :: $1 $2e$3 :: (I|we)(?:'ve| have)?(?: just| finally| recently)? (?:stopped|quit|given up|gave up) (\p{L}+?[vksti])ing\b(.{0,120})
  allergy:|user.diet|being:|user.marital :: $1 $2 :: ((?:I|we)(?: am| are|'m|'re))(?:n't| not)(?: actually)? (.{1,100}?)
  any :: I am $1 :: (?:I|we)(?:'ve| have)?(?: just| finally| recently)? (?:stopped|quit|given up|gave up) being (.{1,100})
  any :: we use $1 :: (?:we|the team)(?:'ve| have)?(?: just| finally| recently)? (?:dropped|ditched|abandoned|retired|decommissioned|phased out|got(?:ten)? rid of) (.{1,60}?)(?:,? (?:and (?=(?:went|moved|switched|now|then|chose|use|are|we|took|adopted|picked|replaced)\b)|for (?!the\b|our\b|my\b)|in favou?r of|because|since|due to|after|as|so|which).{0,80})?
  any :: we use $1 :: (?:we|the team)(?:(?:'ve| have)?(?: just| finally| recently)? decided to (?:drop|ditch|abandon|retire|phase out|get rid of|stop using)|(?:'re| are)(?: now)? (?:dropping|ditching|abandoning|retiring|phasing out|getting rid of)) (.{1,60}?)(?:,? (?:and (?=(?:went|moved|switched|now|then|chose|use|are|we|took|adopted|picked|replaced)\b)|for (?!the\b|our\b|my\b)|in favou?r of|because|since|due to|after|as|so|which).{0,80})?
  any :: we use $1 :: (?:we|the team)(?:'ve| have|'re| are)?(?: just| now)? (?:not (?:going with|going to use|using|moving to|switching to|adopting|migrating to)|decided (?:against|not to (?:use|go with|move to|switch to))|(?:won't|will not) (?:use|go with|move to|switch to)|(?:scrapped|cancell?ed|dropped|called off|abandoned|shelved) the (?:move|migration|switch|plan to (?:use|move to|switch to|migrate to))(?: to)?) (.{1,80})
  do: :: I drink $1 :: ${LEFT} (?:given up|gave up|quit) (?:drinking )?(?=(?:coffee|tea|alcohol|beer|wine)\b)(.{1,60})
  do: :: I eat $1 :: ${LEFT} (?:given up|gave up|quit) (?:eating )?(?=(?:meat|fish|sugar|dairy|pork)\b)(.{1,60})
  user.job :: I'm the $1 :: ${LEFT} (?:stepped down|resigned|quit|retired) as (?:the |an? )?(.{1,60}?)(?:,? (?:and|because|since|after|to) .{1,80})?
  user.employer :: I work at $1 :: ${LEFT} (?:left|quit|resigned from|been laid off (?:by|from)|been fired (?:by|from)|was (?:fired|laid off) (?:by|from)|got (?:fired|laid off) (?:by|from))(?: my job at)? (?=\p{L})(?!(?:work|home|town|the|my|a|it|early|late|for|on|in)\b)(?!.*\b(?:at \d|this (?:morning|afternoon)|early|late|open|running|on|alone|behind|unchanged)\b)(.{1,80})
  user.employer :: I work at $1 :: (.{1,60}?) (?:(?:has |have )?(?:just |recently )?(?:fired|sacked) me|(?:has |have )?laid me off|(?:has |have )?let me go|(?:has |have )?made me redundant)
  user.employer :: I work at $1 :: (?:(?:(?:today|yesterday|\p{L}{3,6}day) )?was|I(?:'ve| have)?(?: just)? had) my last day (?:at|with) (.{1,80})
  user.employer :: I work at $1 :: I(?:'m| am) (?:no longer|not) (?:with|at|employed (?:at|by)) (.{1,80}?)(?: any ?more| any longer)?
  do: :: I own a $1 :: (?:I|we)(?:'ve| have)?(?: just| finally| recently)? (?:sold|given away|gave away|got rid of|gotten rid of) (?:my|our) (.{1,60})
  do: :: I drive a $1 :: (?:I|we)(?:'ve| have)?(?: just| finally| recently)? (?:sold|given away|gave away|got rid of|gotten rid of) (?:my|our) (.{1,60})
  user.location :: I moved to $1 :: (?:I|we)(?:'ve| have)?(?: just| finally| recently)? (?:moved away from|moved out of|left) (?=\p{L})(?!.*\b(?:at \d|this|early|late|today|yesterday|open|running|on|alone|behind|unchanged)\b)(.{1,60}?)(?: for good)?
  user.partner :: $1 is my partner :: (\p{L}[\p{L} ]{1,40}) and I(?:'ve| have| are| got|'re)?(?: just| now| recently| finally)? ${PARTED}(?! (?:the|a|an|some|my|our|his|her|their|into)\b)\b.{0,60}
  user.partner :: $1 is my partner :: my ex-?(?:wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?),? (?!(?:is|was|and|has|had|who|called|lives|says|said|works|still|never|always|will|wants)\b)(\p{L}+)\b.{0,80}
  user.partner :: $1 is my partner :: ${LEFT}(?: been| got| was)? (?:divorced|split up with|broke up with|broken up with|separated from)(?: from)? (?:my \p{L}+ )?(\p{L}[\p{L} ]{1,40})
`
  .trim()
  .split("\n")
  .map((line) => {
    const [key = "", denied = "", source = ""] = line.trim().split(" :: ");
    return { keys: key === "any" ? [""] : key.split("|"), denied, pattern: patternOf(`^${source}$`) };
  });
