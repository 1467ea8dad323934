import { type CaptureRule, part, pattern } from "../language-rules.ts";

const DAY = part`(?:(?:next |every )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|noon|midday|(?:the )?\d)`;
const EVENT = part`(?:(?!not\b)[\p{L}\p{N}-]+ ){0,4}(?:meeting|call|standup|stand-up|sync|retro|review|demo|lesson|class|appointment|deadline|launch|release|go-live|workshop|party|wedding|flight|trip|interview|presentation|training|practice|rehearsal|delivery|visit|conference|offsite|event|deploy(?:ment)?(?: window)?|freeze|kick-?off|dinner|lunch)`;
const ACT = part`(?:please |just |always |never |don't |do not |you should |you must |I want you to |I need you to |I'd like you to |you |make sure to |make sure you |be sure to ){0,2}(?:run|send|open|use|give|make|tell|write|show|draft|list|read|play|start|stop|call|check|create|add|remove|delete|set|turn|switch|put|book|order|schedule|remind|ask|answer|reply|respond|explain|translate|summari[sz]e|convert|format|include|mention|say|assume|look|search|find|fetch|get|pull|push|deploy|build|test|commit|merge|review|update|note|save|store|archive|file|forward|post|print|log|keep|treat|refer|offer|suggest|recommend|propose|notify|ping|message|email|e-mail|mail|copy|cc|attach|move|rename|round|count|calculate|pick|choose|skip|ignore|wait|warn|follow|go|do|take|bring|invite|cancel|close|lock|switch|execute|generate|return|prepare|sort|label|mark|mute|quote|cite|link|apply|prefer|avoid|be)(?! (?:times?|fails?|failed|breaks|crashes|takes|is|are|was|were|does|doesn't|keeps|gets|hangs|goes)\b)`;
const HAD = part`(?:live|work|drive|own|have|rent|subscribe|buy|order|belong|offer|sell|ship|deliver)`;
const EVERY = part`(?:whenever|every time|each time|any ?time|always when)`;

/** The rules for a sentence as a whole. */
export const ENGLISH_WHOLE_RULES: readonly CaptureRule[] = [
  {
    trigger: "when I say",
    category: "preference",
    key: "when",
    imperative: true,
    lasting: true,
    pattern: pattern`^(?:when|whenever|if|every time|each time|any ?time) I (?:ever )?(?:say|type|write|tell you|ask(?: you)? (?:for|to)|mention|send(?: you)?) (?!I\b|so\b|hello to\b|no to\b)(?<topic>.{1,80}?)(?:[,:]| then| -| –) ?(?:then |that means )?(?<value>${ACT}\b.{0,200})$`,
  },
  {
    trigger: "when I say",
    category: "fact",
    key: "when",
    lasting: true,
    pattern: pattern`^(?:when|whenever|if) I (?:say|write|talk about|mention|refer to|speak of) (?<topic>.{1,80}?),? (?:I(?: always)? mean|that means|it means) (?<value>(?!it\b|that\b|business\b|no\b|well\b|every word\b).{2,160})$`,
  },
  {
    trigger: "whenever",
    category: "preference",
    imperative: true,
    pattern: pattern`^${EVERY} (?!I (?:was|were|had|did|went|saw|tried|wanted)\b|he\b|she\b|they\b)(?<scope>.{2,120}?), (?<value>${ACT}\b.{1,160})$`,
  },
  {
    trigger: "whenever",
    category: "preference",
    imperative: true,
    pattern: pattern`^(?:please |always |never |don't ){0,2}(?<value>${ACT}\b.{1,160}? (?:${EVERY}|before (?:each|every)|after (?:each|every)) .{2,120})$`,
    value: /^(?!(?:go|do|get|take|bring|look|show|be|give) )/iu,
  },
];

/** The English rules for changes. */
export const ENGLISH_CHANGES: readonly CaptureRule[] = [
  {
    trigger: "moved",
    category: "fact",
    pattern: pattern`^(?:the|our|my) (?<topic>${EVENT}) (?:has been |was |is being |is |has |got )?(?:now )?(?:moved|shifted|postponed|rescheduled|pushed(?: back)?|brought forward|delayed|extended)(?: from .{1,40}?)? (?:to|until|till|by) (?=${DAY})(?<value>.{1,100})$`,
  },
  {
    trigger: "moved",
    category: "fact",
    pattern: pattern`^we(?:'ve| have)?(?: just| now)? (?:moved|shifted|postponed|rescheduled|pushed(?: back)?) (?:the|our|my) (?<topic>${EVENT})(?: back| forward)?(?: from .{1,40}?)? (?:to|until|till) (?=${DAY})(?<value>.{1,100})$`,
  },
  {
    trigger: "no longer",
    category: "fact",
    pattern: pattern`^(?:(?:my|our) [\p{L}][\p{L}' -]{0,60}?|the (?:office|team|company|project|shop|server|account|contract|supplier|client|customer|api|repo|repository|service|meeting|wi-?fi|code|deadline)(?: \p{L}+)?) (?:is|are|isn't|aren't) no longer (?!a problem\b|an issue\b|broken\b|working\b|here\b|there\b|the same\b|needed here\b)(?<value>.{2,120})$`,
  },
  {
    trigger: "no longer",
    category: "fact",
    pattern: pattern`^(?:I|we) (?:no longer (?<topic>${HAD})|(?:don't|do not) ${HAD}(?=.{1,120} any ?more$)) (?:in|at|for|with|from|an?|the|to|our|my) (?<value>(?!time\b|idea\b|energy\b|money\b|heart\b|chance\b).{2,120})$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:we|I)(?:'ve| have)?(?: just| now| recently| finally| also)? (?:replaced|swapped) (?:out )?(?<other>(?!it\b|them\b|this\b|that\b|these\b|those\b|him\b|her\b|the old\b|the \p{L}+ (?:with|by) a\b).{1,60}?) (?:with|by|for) (?<value>.{1,120}?)(?: (?:for|as) (?<topic>.{1,80}))?$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:we|I)(?:'ve| have)?(?: just| now| recently| finally| also)? (?:gone|changed|went)(?: over)? from (?<other>.{1,60}?) to (?<value>.{1,80})$`,
    value: /^\p{Lu}/u,
  },
  {
    trigger: "changed",
    category: "fact",
    pattern: pattern`^(?:we|I)(?:'ve| have)?(?: just| now| recently| finally| also)? (?:renamed|changed|switched|increased|raised|lowered|reduced|cut) (?:the|our|my) (?<topic>[\p{L}\p{N}][\p{L}\p{N} '-]{0,60}?) (?:from .{1,60}? )?to (?!see\b|make\b|be\b|get\b|avoid\b|help\b|do\b|let\b|keep\b)(?<value>.{1,100})$`,
  },
  {
    trigger: "changed",
    category: "fact",
    pattern: pattern`^(?:we|I)(?:'ve| have)?(?: just| now| recently| finally)? (?:hired|adopted|fired|signed(?: up)? with|signed a contract with|opened an? (?:\p{L}+ )?(?:office|account|branch) (?:in|at|with)|started (?:a new job|a job|working) (?:at|as|with|for)|(?:left|quit) my job(?: at| as)?|been promoted to|retired from|got (?:engaged|married|divorced)|bought an? (?:\p{L}+ )?(?:house|flat|apartment|car|dog|boat))(?! (?:him|her|them|it|this|you|new people)\b)(?<value>.{0,120})$`,
  },
  {
    trigger: "changed",
    category: "fact",
    pattern: pattern`^(?:I'm|I am|we're|we are) (?<value>(?:getting (?:married|divorced)|expecting (?:a baby|a child|twins|our (?:first|second|third))|retiring)\b.{0,80})$`,
  },
  {
    trigger: "employer",
    category: "fact",
    key: "user.employer",
    lasting: true,
    pattern: pattern`^I(?:'ve| have)?(?: just| recently)? (?:got|started|accepted|took) (?:a|my) new (?:job|position|role) (?:at|with) (?<value>.{1,100})$`,
  },
  {
    trigger: "habit",
    category: "fact",
    pattern: pattern`^I(?:'ve| have)?(?: just| recently| finally)? (?:stopped|quit|given up|gave up) (?<value>(?:eating|drinking|smoking|using|taking|buying|working|running|going to)\b.{0,120}|(?:meat|sugar|alcohol|coffee|dairy|smoking|caffeine)\b.{0,60})$`,
  },
];
