import { type CaptureRule, part, pattern } from "../language-rules.ts";

const OFTEN = part`(?:really |much |strongly |generally |usually |always |still |definitely |also |now |would |actually |normally |typically |personally |absolutely |kind of |just |mostly |currently |simply |especially |rather ){0,3}`;
/** A noun phrase, up to the place or time at which the statement holds. */
const THING = part`(?<value>.{1,120}?)`;
const SCOPE = part`(?: (?:in|for|with|on|when|while|during|inside|at) (?<scope>.{1,120}))?$`;
const PROPER = /^["'“„«`]?\p{Lu}/u;
const PERSON = part`(?<value>(?!not\b|on\b|in\b|at\b|the\b|a\b|an\b|being\b|there\b|really\b|back\b|later\b|tomorrow\b|when\b|if\b|asap\b|by\b|now\b|what\b|out\b|crazy\b|old-fashioned\b|mangled\b)[\p{L}\uE000][\p{L}\p{M}'\uE000-]*(?: (?!and\b|but\b|or\b|from\b|so\b|by\b|not\b|if\b|when\b|please\b|now\b|instead\b|because\b|these\b|in\b|for\b|with\b|at\b)[\p{L}\uE000][\p{L}\p{M}.'\uE000-]*){0,3})`;
/** People and animals of whom there may be several. A second one does not contradict the first. */
const SEVERAL = part`(?:son|daughter|child|baby|brother|sister|dog|cat|pet|horse|colleague|cofounder|co-founder|band|friend|cousin|aunt|uncle|niece|nephew|rabbit)`;
const RELATION = part`(?:wife|husband|partner|spouse|girlfriend|boyfriend|fiancée?|mother|mom|mum|father|dad|boss|manager|doctor|dentist|landlord|assistant|company|startup|team|project|product|app|server|laptop|car|boat|bike)`;
const JOBS = part`(?:\p{L}+(?:er|or|ist|ian|ant|nurse|chef|scientist|architect|student)|engineer|manager|student|doctor|nurse|lawyer|chef|cook|clerk|freelancer|scientist|architect|pilot|founder|ceo|cto|sre|dba|phd student|analyst)`;
/**
 * Accepts things that the speaker likes in general. "The energy", "his idea" and "watching them"
 * refer to something at hand.
 */
const GENERIC =
  /^(?!(?:the|his|her|their|its|that|this|all the|all of|these|those|to$|i|we|when you|it when you|thought)(?:\s|$)|theme$|me$|\p{L}+ing (?:(?:to|in|into|with|at|on|for|about|of|lost|around|out) ){0,2}(?:them|it|him|her|that|those)(?!\p{L}))/iu;
const KEEPS = part`(?:use|write|add|include|suggest|install|commit|push|deploy|format|name|put|call|run|send|schedule|book|mention|show|ask|answer|reply|respond|start|end|say|apologi[sz]e|explain|repeat|touch|delete|remove|change|create|generate|assume|translate|merge|rebase|squash|force|log|print|import|recommend|propose|store|share|reveal)`;
const STANDING = part`(?:from now on|going forward|from here on|in (?:the )?future|by default|henceforth|from today on)`;

/** The rules of English, the more specific first. */
export const ENGLISH_RULES: readonly CaptureRule[] = [
  {
    trigger: "name",
    category: "entity",
    key: "user.name",
    cut: true,
    pattern: pattern`^(?:my (?:full |real |first |preferred )?name(?: is|'s)(?: actually| now)?|I go by|I am called|I'm called|(?:you can |you may |just |please )?call me|${STANDING},? call me|people call me|everyone calls me) ${PERSON}(?: ${STANDING})?`,
  },
  {
    trigger: "named",
    category: "entity",
    lasting: true,
    pattern: pattern`^(?:my|our) (?<topic>(?:\p{L}+ )?${SEVERAL})(?:'s name is| is called| is named|'s called|'s named) (?<value>.{1,80})$`,
  },
  {
    trigger: "named",
    category: "entity",
    key: "entity",
    lasting: true,
    pattern: pattern`^(?:my|our) (?<topic>(?:\p{L}+ )?${RELATION})(?:'s name is| is called| is named|'s called|'s named) (?<value>.{1,80})$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^(?:I(?:'m| am)?(?: now| currently| still| actually| just)?|I've(?: just| recently| now)?|I have(?: just| recently)?|we(?:'ve| have|'re| are)?(?: just| now| recently)?) (?:live|living|based|reside|residing|moved(?: back)?|moving|relocated|settled(?! on\b))(?: now| currently| here)? (?:in|to|near|at|outside|on) (?!with\b|production\b)(?<value>.{1,120})$`,
  },
  {
    trigger: "origin",
    category: "fact",
    key: "user.origin",
    lasting: true,
    pattern: pattern`^I(?:'m| am| come| was born| grew up)(?: originally)? (?:from|in) (?<value>\p{L}.{1,80})$`,
    value: PROPER,
  },
  {
    trigger: "employer",
    category: "fact",
    key: "user.employer",
    lasting: true,
    pattern: pattern`^(?:I(?:'ve)?(?: now| currently| still| just| recently)?|I'm(?: now| currently)?) (?:work|working|started(?: working)?|employed)(?: full-time| part-time)? (?:at|for|with|by) (?<value>.{1,120})$`,
  },
  {
    trigger: "job",
    category: "fact",
    key: "user.job",
    lasting: true,
    pattern: pattern`^(?:I (?:now |currently )?work as|my (?:job|profession|occupation|role|job title|title) is|I(?:'m| am)(?: now| currently)? (?=(?:an?|the) (?:[\p{L}-]+ ){0,3}${JOBS}\b)) ?(?:an? |the )?(?<value>.{1,120})$`,
  },
  {
    trigger: "being",
    category: "fact",
    lasting: true,
    pattern: pattern`^I(?:'m| am)(?: a| an)?(?: strict| lifelong| life-long)? (?<value>(?:vegetarian|vegan|pescatarian|colou?r-?blind|left-handed|right-handed|deaf|blind|diabetic|dyslexic|lactose[- ]intolerant|gluten[- ]intolerant|celiac|coeliac|pregnant|retired|married|divorced|muslim|jewish|christian|hindu|buddhist|\d{1,3} years old|native \p{L}+ speaker|beginner|night owl|early bird)\b.{0,120})$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^(?:I'm|I am) (?:severely |very |highly )?(?:allergic|intolerant) to (?<value>.{1,120})$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^I have an? (?:severe )?(?<value>\p{L}+(?: \p{L}+)?) (?:allergy|intolerance)$`,
  },
  ...(
    [
      ["birthday|date of birth|birth date", "user.birthday"],
      ["time ?zone", "user.timezone"],
      ["(?:e-?mail|e-?mail address|work e-?mail)", "user.email"],
      ["(?:phone|phone number|mobile|mobile number|cell)", "user.phone"],
      ["(?:home |postal |shipping )?address", "user.address"],
      ["pronouns", "user.pronouns"],
      ["(?:native language|mother tongue|first language)", "user.language"],
      ["(?:employer|company)", "user.employer"],
      ["(?:github|gitlab|slack|twitter|discord)(?: handle| username| name| account)?|username|handle", "user.handle"],
      ["(?:home ?town|home city)", "user.origin"],
      ["age", "user.age"],
    ] as const
  ).map(
    ([noun, key]): CaptureRule => ({
      trigger: "about",
      category: "fact",
      key,
      lasting: true,
      pattern: pattern`^my (?:current |new )?(?:${noun}) (?:is|are)(?: now| on| actually)? (?!not\b|wrong\b|broken\b|missing\b)(?<value>.{1,120})$`,
    }),
  ),
  {
    trigger: "favourite",
    category: "preference",
    key: "favourite",
    pattern: pattern`^(?:my|our) (?:all-time )?(?:favou?rite|preferred|go-to) (?<topic>(?!one\b|ones\b|thing\b|part\b)[\p{L}\uE000][\p{L}\p{N} '/\uE000-]{0,60}?) (?:is|are)(?: still| now)? (?<value>.{1,120})$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:I|we|I'd|we'd|our team|the team) ${OFTEN}prefer (?:to (?:use )?)?(?:using )?(?<value>.{1,120}?) (?:over|to|rather than|instead of|than|more than|and not) (?<other>.{1,120}?)(?: (?:for|when|in) (?<topic>.{1,120}))?$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:I|we|I'd|we'd|our team) ${OFTEN}prefer (?:to use |using )?${THING}(?: for (?<topic>.{1,120})|(?: (?:in|when|on|with) (?<scope>.{1,120})))?$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "like",
    pattern: pattern`^(?:I'd|I would|we'd) (?:much |really )?rather (?:you )?(?<value>(?!not\b.{0,3}$|know\b|see\b|be\b|die\b).{1,160})$`,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^I ${OFTEN}(?:do not |don't |don't really |no longer )?(?:like|love|enjoy|hate|dislike|loathe|despise|detest|adore|can't stand|cannot stand|can't bear|don't like|do not like|no longer like) (?<value>.{1,160})$`,
    value: GENERIC,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^(?:I'm|I am) (?:really )?(?:not )?(?:a (?:big |huge |great )?fan of|fond of|into|keen on) (?<value>.{1,120})$`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "use",
    pattern: pattern`^(?:I|we) (?:always|usually|mostly|normally|generally|typically|only|exclusively|never|don't|do not|no longer|almost always) (?:use|using) ${THING}${SCOPE}`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "do",
    pattern: pattern`^(?:I|we) (?:always|never|don't|do not|no longer) (?<value>(?:eat|drink|smoke|work|deploy|write|commit|merge|fly|drive|read|answer|take calls|take meetings|watch|listen|speak|cook|train|travel|indent|review|release|push|test|log)\b.{0,160})$`,
  },
  {
    trigger: "speak",
    category: "fact",
    lasting: true,
    pattern: pattern`^I (?:also )?(?:speak|am learning|study|am studying) (?<value>\p{L}.{1,120})$`,
    value: PROPER,
  },
  {
    trigger: "have",
    category: "fact",
    lasting: true,
    pattern: pattern`^I have (?<value>(?:an?|two|three|four|five|\d+) (?:\p{L}+ ){0,2}(?:sons?|daughters?|kids?|children|dogs?|cats?|brothers?|sisters?|wife|husband|twins|horses?|diabetes|adhd|dyslexia)\b.{0,100})$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`
      ^(?:we|I|the team|our team)(?:'ve| have|'re| are)?(?: all| both| now| finally| just| also| already| eventually)?
      (?: (?:decided|agreed|opted|voted|resolved|committed|settled|standardi[sz]ed|standardi[sz]ing)(?: not)?
      (?: to| that we(?:'ll| will)?)?(?: not)? (?:use|using|go with|go for|adopt|stay with|stick with|keep|switch to|move to|migrate to|pick|on|for|against)
      | (?:chosen|chose|picked|selected)(?! to\b| up\b)(?=.{1,120} (?:for|as)\b)
      | going with
      | (?:switched|switching|migrated|migrating|moved|moving)(?: over)?(?: from (?<other>.{1,60}?))? to)
       (?<value>.{1,120}?)(?: (?:for|as|in) (?<topic>.{1,120}))?$
    `,
    value: /^(?!for a |shopping|home|on holiday|away|well|crazy|to bed)/i,
  },
  {
    trigger: "decided",
    category: "decision",
    pattern: pattern`^(?:we|the team|our team)(?:'ve| have)?(?: all| both| now| finally| just| also| already| eventually)? (?:decided|agreed|resolved)(?: not)? (?:to|that) (?!go (?:for|to|back|home|out)\b|get (?:some|a)\b|take a\b|have a\b|grab\b|eat\b|try\b|meet up\b)(?<value>.{2,160})$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:let's|let us|we'll|we will|we're going to|we are going to) (?:go with|settle on|stick with|stay with|standardi[sz]e on|adopt|switch to|use(?= .{1,80} (?:for|as|from now on)\b)) (?<value>.{1,120}?)(?: (?:for|as) (?<topic>.{1,120}))?$`,
    value: /^(?!an? )/i,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:the|our|my) (?:final )?(?:decision|choice) (?:is|was|for (?<topic>.{1,60}?) (?:is|was))(?: to (?:use|go with))? (?<value>.{1,120})$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "project",
    pattern: pattern`^our (?<topic>[\p{L}\p{N}][\p{L}\p{N} ./-]{0,60}? (?:runs? on|uses?|is written in|are written in|is hosted on|is hosted at|is deployed (?:to|on|with)|is built with|is based on|lives (?:in|on|at)|listens on|is called)) (?<value>.{1,120})$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "decision",
    pattern: pattern`^(?:at work )?we(?: currently| now| all| still| mostly)? (?:use|run|deploy(?: to| with| on)?|host(?: on| with)?) (?<value>(?!the |a |an |this |that )[^ ].{0,80}?) (?:for|as) (?<topic>.{1,120})$`,
    value: PROPER,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?(?:please )?(?:always |never |don't ever |don't |do not |only |no longer |you must always |you should always |you must never |you should never |you must |make sure to always |make sure to )?(?:use|using|prefer) (?<value>.{1,80}?),? (?:instead of|rather than|over|and not|not) (?<other>.{1,80}?)${SCOPE}`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?(?:please )?(?:always|never|don't ever|don't|do not|only ever|stop|avoid|no longer|quit|(?:you|I want you to|I need you to|I'd like you to|make sure to|be sure to) (?:must |should |please )?(?:always|never)|you must not|you should not|you shouldn't) (?:use|using) ${THING}${SCOPE}`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? (?:please )?use ${THING}|use ${THING.replace("value", "other")},? ${STANDING})$`,
  },
  {
    trigger: "avoid",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:always |please )?avoid (?!the (?:error|problem|issue|bug)\b)${THING}${SCOPE}`,
  },
  {
    trigger: "always",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?(?:please )?(?:(?:you (?:must|should) |I want you to |I need you to |I'd like you to |make sure to |be sure to |to ))?(?:always|never|under no circumstances)(?: ever)? (?<value>(?!mind\b|heard\b|seen\b|thought\b|knew\b|had\b|got\b|been\b|again\b|ever\b|a\b|an\b|the\b|something\b|happened\b|wanted\b|tried\b|worked\b|used\b|say never\b|the same\b|did\b|was\b|is\b|in\b|on\b|there\b|full\b|give up\b|know\b|up\b|good\b|great\b|nice\b|happy\b|glad\b|calm\b|fun\b|ready\b|open to\b|so\b|such\b|more\b|(?!need|feed|embed|bring|ping)\p{L}+(?:ed|ing)\b)\p{L}+(?:-\p{L}+)? .{1,160})$`,
  },
  {
    trigger: "don't",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?(?:please )?(?:(?:you |I want you to |I need you to |I'd like you to )(?:must |should )?)?(?:don't|do not|not|stop|no longer) (?:ever )?(?<value>${KEEPS}(?:ing|ting)? .{1,160})$`,
  },
  {
    trigger: "from now on",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^${STANDING},? (?!I\b|he\b|she\b|they\b|it\b|the\b)(?:please )?(?<value>\p{L}+ .{1,160})$`,
  },
  {
    trigger: "answers",
    category: "preference",
    pattern: pattern`^(?:I want|I need|I expect|give me|keep) (?:all |all of )?your (?<topic>answers|replies|responses|explanations|messages)(?<value> .{1,160})$`,
  },
];
