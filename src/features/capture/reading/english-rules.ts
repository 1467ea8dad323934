import type { FactCategory } from "../../../db/agent/facts/facts.ts";
import { part, patternOf } from "./pattern.ts";

/** One form of a statement that is worth keeping. */
export interface CaptureRule {
  /** The rule's name in the answer, so that people see why a statement was kept. */
  readonly trigger: string;
  readonly category: FactCategory;
  /** How `factKey` makes the key; empty: the statement has no key. */
  readonly key: string;
  /**
   * `lasting`: it holds although it points at something at hand. `order`: it tells the assistant what
   * to do. `cut`: it ends where the pattern ends. `whole`: tried on a sentence before it is cut.
   * `context`: the clause before it belongs to it. `change`: facts that name the old value end.
   * `greeted`: only behind a greeting. `back`: the value is the old one again, so facts that gave it up end. `home`: an address ends too; where the
   * statement has an old value, only an address that names this value.
   * `value=NAME`, `who=NAME`, `old=NAME`: how this group must look (`LOOKS`).
   */
  readonly flags: ReadonlySet<string>;
  /**
   * Matched against a whole clause: a trigger inside a sentence belongs to somebody else, a question
   * or a title. Groups: `value` (what is said), `topic` (about what), `old` (the choice that is
   * replaced or liked less), `scope` (where it holds), `who` (whom it is about).
   */
  readonly pattern: RegExp;
}

const NOW = part`(?: now| currently| still| actually| just| recently| also| finally| all| already| mostly| really)`;
const OFTEN = part`(?:really |much |strongly |generally |usually |always |still |definitely |also |now |actually |normally |absolutely |just |mostly |currently |simply |especially ){0,3}`;
const FROM = part`(?:from now on|going forward|from here on|in (?:the )?future|by default|henceforth|from today(?: on)?)`;
const WORD = part`[\p{L}\uE000][\p{L}\p{M}\p{N}'.&\uE000-]{0,30}`;
const NOT_A_NAME = part`(?!(?:I|I'm|I've|I'd|you|you're|he|she|it|it's|we|they|this|that|that's|these|those|there|here|what|how|who|when|where|the|a|an|my|our|your|his|her|their|so|and|but|if|in|on|at|for|to|of|with|by|as|can|do|not|no|yes|all|just|have|is|are|was|were|been|thanks|being|back|never|always|really|out|up) )`;
const NAME = part`${NOT_A_NAME}(?:(?:mr|mrs|ms|dr|prof)\.? )?${WORD}(?: (?:&|${WORD})){0,3}?`;
/** The name that somebody gives, up to a word that goes on with something else. */
const CALLED_NAME = part`(?<value>(?:(?:mr|mrs|ms|dr|prof)\.? )?(?!(?:not|on|in|at|the|a|an|there|really|back|later|tomorrow|when|if|asap|by|now|what|out|crazy|old-fashioned|mangled|every|as|for|never|going|being|up|over)\b)${WORD}(?: (?!and\b|but\b|or\b|from\b|so\b|by\b|not\b|if\b|when\b|please\b|now\b|instead\b|because\b|these\b|in\b|for\b|with\b|at\b|btw\b)${WORD}){0,3})(?: ${FROM})?`;
const SPOUSE = part`(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[ée]e?)`;
const ONE = part`(?:${SPOUSE}|mother|mom|mum|father|dad|mother-in-law|father-in-law|boss|manager|team lead|supervisor|accountant|bookkeeper|tax advis[eo]r|landlord|landlady|doctor|gp|dentist|pa?ediatrician|vet|therapist|hairdresser|lawyer|plumber|electrician|gardener|cleaner|cleaning lady|mechanic|caretaker|nanny|babysitter|supplier|caterer|insurer|internet provider|hosting provider|bank|assistant|ceo|cto|cfo|coo|product owner|product manager|project manager|office manager|head of \p{L}+|tutor)`;
const MANY = part`(?:son|daughter|child|kid|baby|brother|sister|twin|grandmother|grandma|grandfather|grandpa|grandson|granddaughter|uncle|aunt|cousin|nephew|niece|brother-in-law|sister-in-law|friend|roommate|flatmate|housemate|neighbou?r|colleague|coworker|co-worker|cofounder|co-founder|intern|client|customer|vendor|contractor|teacher|coach|trainer|tenant|designer|developer|engineer|consultant|adviser|advisor|agent|band)`;
const PET = part`(?:dog|cat|puppy|kitten|pet|horse|rabbit|hamster|parrot)`;
const KIN = part`(?:(?!not\b)\p{L}[\p{L}-]{0,20} ){0,2}?(?:${ONE}|${MANY})`;
/** Nouns after a relation: "my dentist appointment" is no person. */
const THING = part`appointment|meeting|call|visit|check-?up|lesson|class|session|office|practice|school|shop|party|wedding|birthday|trip|flight|interview|house|flat|apartment|place|room|car|bike|team|group|job|company|contract|insurance|invoice|bill|letter|account|number|e-?mail|phone|food|bed`;
const MINE = part`(?:my|our) (?:${KIN}(?:,? (?!(?:says?|said|thinks?|thought|told|wrote|claims?|wants?|hopes?|might|may|will|would|has|have|just|recently|and|who|which|that|if|${THING})\b)${WORD}(?: ${WORD})?,?)?|${PET})`;
const KIDS = part`(?:sons?|daughters?|kids?|children|dogs?|cats?|brothers?|sisters?|siblings|twins|horses?|rabbits?|grandchildren)`;
const JOB = part`(?:[\p{L}-]+ ){0,3}(?:engineer|manager|student|freshm[ae]n|sophomore|doctor|nurse|lawyer|teacher|chef|cook|carpenter|plumber|electrician|designer|developer|architect|pilot|journalist|accountant|dentist|pharmacist|scientist|researcher|musician|librarian|translator|consultant|analyst|vet|firefighter|police officer|farmer|baker|hairdresser|midwife|therapist|photographer|writer|editor|professor|surgeon|social worker|lecturer|clerk|freelancer|founder|ceo|cto|sre|dba|programmer|mechanic|director|producer|paramedic|barista|postdoc|intern|(?:product|scrum) (?:owner|master)|(?:team|tech) lead|head of \p{L}+)`;
const FOOD = part`(?:any )?(?:dairy|milk|lactose|gluten|wheat|bread|nuts?|peanuts?|walnuts?|hazelnuts?|almonds?|eggs?|fish|shellfish|seafood|shrimps?|soy|sesame|pork|meat|beef|sugar|alcohol|caffeine|coffee|tomato(?:es)?|onions?|strawberr(?:y|ies)|honey|mushrooms?|celery|mustard|penicillin|ibuprofen|aspirin|paracetamol|antibiotics)\b`;
const ILLNESS = part`(?:parkinson's|alzheimer's|dementia|arthritis|gout|allerg(?:y|ies)|intolerance|diabetes|asthma|adhd|epilepsy|c(?:o)?eliac(?: disease)?|migraines|dyslexia|autism|high blood pressure|hay fever)(?![\p{L}])`;
const DIET = part`(?:vegetarians?|vegans?|pescatarians?)\b`;
/** What people call themselves intolerant of. An intolerance is added to a diet, and replaces none. */
const INTOLERANT = part`(?:lactose|gluten|dairy|milk|wheat|histamine|fructose|soy|egg|nut|alcohol|caffeine)(?=[- ]intolerant\b)`;
const STATE = part`(?:diabetic|asthmatic|colou?r-?blind|dyslexic|deaf|blind|epileptic|left-handed|right-handed|pregnant|c(?:o)?eliacs?|retired|married(?=$|,)|divorced|single|muslim|jewish|christian|hindu|buddhist|native \p{L}+ speaker|night owl|early bird)\b`;
const DOSE = part`(?=.{0,80}(?:\b\d+ ?mg\b|\b(?:daily|every day|every morning|every evening|once a day|twice a day)\b))`;
const EVENT = part`(?:(?!not\b)[\p{L}\p{N}'-]+ ){0,4}(?:meeting|call|standup|stand-up|sync|retro|review|demo|lesson|class|appointment|deadline|launch|release|go-live|workshop|party|wedding|flight|trip|interview|presentation|training|practice|rehearsal|delivery|visit|conference|offsite|event|deploy(?:ment)?(?: window)?|freeze|kick-?off|dinner|lunch|move|match|exam|operation|christmas|easter|birthday)`;
const DAY = part`(?:(?:next |every )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|noon|midday|(?:the )?\d)`;
const DO = part`(?:run|send|open|use|give|make|tell|write|show|draft|list|read|start|stop|call|check|create|add|remove|delete|set|turn|switch|put|book|order|schedule|remind|nag|ask|answer|reply|respond|explain|translate|summari[sz]e|convert|format|include|mention|say|assume|look|search|find|fetch|pull|push|deploy|build|test|commit|merge|review|update|note|save|store|archive|file|forward|print|log|keep|treat|refer|offer|suggest|recommend|propose|notify|ping|wake|disturb|message|email|e-mail|mail|copy|cc|attach|move|rename|round|count|calculate|pick|choose|skip|ignore|wait|warn|follow|bring|invite|cancel|close|lock|execute|generate|return|prepare|sort|label|mark|mute|quote|cite|link|apply|prefer|avoid|address|apologi[sz]e|repeat|touch|change|install|import|share|reveal|rebase|squash|name|end|schedule)`;
const ACT = part`(?:please |just |always |never |don't |do not |you should |you must |I want you to |I'd like you to |make sure to |be sure to ){0,2}${DO}(?! (?:times?|fails?|failed|breaks|crashes|takes|is|are|was|were|does|doesn't|keeps|gets|hangs|goes)\b)`;
const EVERY = part`(?:whenever|every time|each time|any ?time)`;
const NEWS = part`(?:'ve| have|'re| are)?${NOW}{0,2}`;
const HABITS = part`(?:eat|drink|smoke|work|deploy|write|commit|merge|fly|drive|read|answer|take calls|take meetings|watch|listen|speak|cook|train|travel|indent|review|release|push|test|log|play|run|swim|cycle|practi[cs]e|go to|take|sit|book|buy|order|pay|wear|sleep|get up|wake up|park|shop|bring|carry|skip|start|finish|keep|ask for)`;
const ABOUT = part`birthday|date of birth|anniversary|name day|phone|(?:(?:new |direct |private |work |office |mobile |cell )?(?:phone|number|mobile|cell|extension)(?: number)?)|e-?mail(?: address)?|address|(?:shoe|clothes|dress|shirt|ring) size|(?:insurance|policy|customer|member(?:ship)?|account|vat|tax|contract|client|supplier|room|licen[cs]e plate|frequent flyer) (?:number|id)|licen[cs]e plate|iban|tax id|(?:opening|office|business|working) hours|blood type|parking (?:spot|space)|locker(?: number)?`;
const PLACE = part`(?:(?:front door|door|gate|garage|alarm|entry|building|access|locker|bike lock|guest|copier|printer)(?: \p{L}+)? (?:code|combination)(?: (?:for|of|to|at) .{1,40}?)?|(?:code|combination) (?:for|of|to) (?:the|our) .{1,40}?|wi-?fi (?:network|name|password|code)|guest (?:network|wi-?fi|password|wi-?fi password)|(?:office|shop|store|company|business|school|clinic|billing|support|emergency|hotline|help ?desk) (?:phone |telephone )?(?:number|hotline|address|e-?mail|hours)|fiscal year|deadline for .{1,60}?|due date (?:of|for) .{1,60}?)`;
/** Excludes passing states: that a thing is broken or on its way is not worth keeping. */
const KNOWN = part`(?!not\b|wrong\b|broken\b|missing\b|unknown\b|invalid\b|too\b|so\b|very\b|still\b|coming\b|soon\b|next\b|the same\b|just\b|a bit\b|really\b|always\b|in \d|up\b|out\b|today\b|tomorrow\b)`;
const TOPIC = part`(?: (?:for|as) (?<topic>.{1,80}))?`;
const SCOPE = part`(?: (?:in|for|with|on|when|while|during|inside|at) (?<scope>.{1,120}))?`;
const FIGURATIVE = part`(?!hope\b|the (?:mercy|edge|expense|limit|beginning|end|speed)\b|fear\b|peace\b|denial\b|the (?:past|moment|future|present|middle|same|now|assumption|idea|principle|fact)\b|my (?:head|own)\b|a (?:bubble|dream|world|fantasy|mess)\b|this (?:moment|mess|world)\b|it\b|them\b|production\b|with\b)`;

/**
 * The rules, the more specific first. A line has the trigger, the category, the key, flags, and
 * after `::` the pattern, which is held at both ends.
 */
const TABLE = part`
  when I say; preference; when; order lasting whole :: (?:when|whenever|if|every time|each time|any ?time) I (?:ever )?(?:say|type|write|tell you|ask(?: you)? (?:for|to)|mention|send(?: you)?) (?!I\b|so\b|hello to\b|no to\b)(?<topic>.{1,80}?)(?:[,:]| then| -| –) ?(?:then |that means )?(?<value>${ACT}\b.{0,200})
  when I say; fact; when; lasting whole :: (?:when|whenever|if) I (?:say|write|talk about|mention|refer to) (?<topic>.{1,80}?),? (?:I(?: always)? mean|that means|it means) (?<value>(?!it\b|that\b|business\b|no\b|well\b|every word\b).{2,160})
  whenever; preference; ; order whole :: ${EVERY} (?!I (?:was|were|had|did|went|saw|tried|wanted)\b|he\b|she\b|they\b)(?<scope>.{2,120}?), (?<value>${ACT}\b.{1,160})
  whenever; preference; ; order whole value=ASKED :: (?:please |always |never |don't ){0,2}(?<value>${ACT}\b.{1,160}? (?:${EVERY}|before (?:each|every)|after (?:each|every)) .{2,120})
  introduced; entity; user.name; lasting whole who=PROPER value=PROPER :: (?<who>${NAME}), (?:an? |the )?${JOB} (?:at|for|from|@) (?<value>.{2,60})
  name; entity; user.full-name; cut value=GIVEN :: my (?:full|legal|official) name(?: is|'?s)(?: actually| now)? ${CALLED_NAME}
  name; entity; user.name; cut value=GIVEN :: (?:my (?:real |first |preferred )?name(?: is|'?s)(?: actually| now)?|I go by|I am called|I'm called) ${CALLED_NAME}
  name; entity; user.name; whole value=CALLED :: (?:please )?(?:don't|do not|never|stop) (?:ever )?call(?:ing)? me (?!(?:any ?time|again|before|after|back|later|tonight|tomorrow|today|when|if|unless|until|during|every|this|next|asap|at|on|in|by|from|over|via|with|because|for)\b).{1,40}?(?:[,;]| [–-]| but| and) ?(?:please )?(?:use|call me|go with|it's|make it|just) (?<value>.{1,60}?)(?:,? (?:please|instead|now|again|${FROM})){0,2}
  name; entity; user.name; value=CALLED :: (?:(?:${FROM},? )?(?:you can |you may |just |please )*call me|people call me|everyone calls me) (?!(?:any ?time|again|before|after|back|later|tonight|tomorrow|when|if|asap|at|on|in|by|not)\b)(?<value>.{1,60}?)(?:,? (?:please|instead|now|again|btw|${FROM})){0,2}
  name; entity; user.name; lasting cut value=CALLED :: (?:I'm|I am|this is) (?<value>${WORD}(?: ${WORD}){0,2}?)(?=,? (?:and )?(?:nice|pleased|glad|happy|good|great|lovely) to (?:meet|see|e-?meet) you)
  name; entity; user.name; lasting cut greeted value=FULL :: this is (?<value>${WORD}(?: ${WORD}){1,2}?)(?=$|,)
  name; entity; called; lasting cut value=FULL :: (?:I'm|I am) (?!${JOB}(?:$|,))(?<value>${WORD}(?: ${WORD}){1,2}?)(?=$|,)
  name; entity; ; lasting value=SINGLE :: (?:I'm|I am) (?<value>${WORD})
  named; entity; person; lasting :: (?:my|our) (?<topic>(?:\p{L}+ )?(?:${MANY}|${PET}))(?:'s name is| is called| is named|'s called|'s named) (?<who>.{1,80})
  named; entity; entity; lasting :: (?:my|our) (?<topic>(?:\p{L}+ )?(?:${ONE}|company|startup|team|project|product|app|server|laptop|car|boat|bike))(?:'s name is| is called| is named|'s called|'s named) (?<who>.{1,80})
  employer; fact; user.employer; lasting old=PROPER value=PROPER change :: I(?:'ve| have)?${NOW}? (?:left (?<old>.{1,60}?) for|(?:(?:switched|changed) (?:jobs|employers?)|(?:moved|switched|went|changed)(?=.{1,120} as an? )) from (?<other>.{1,60}?) to) (?<value>.{1,100})
  employer; fact; user.employer; lasting old=PROPER value=PROPER change whole :: I(?:'ve| have)?${NOW}? (?:left|quit|resigned from) (?:my job at )?(?<old>.{1,60}?)(?: (?:in|on|last|this) [\p{L}\p{N} ]{2,20}?)?(?:,? and|[,;]) (?:have |I'm |I am |am |I )?(?:now |just |then |recently ){0,2}(?:joined(?=.{2,60} as an? )|started (?:working )?(?:at|for)|work (?:at|for)|(?<=\bnow )at|at(?=.{2,60} now$)) (?<value>.{1,100}?)(?: now)?
  location; fact; user.location; lasting old=PLACED value=PLACED change home :: (?:I(?:'ve| have)?${NOW}? moved|(?:I|we)(?:'ve| have)?${NOW}? relocated) (?:away )?from (?<old>.{1,60}?) to (?<value>.{1,100})
  location; fact; user.location; lasting value=LIVED :: (?:I(?:'m| am)?${NOW}?|we(?:'re| are)?${NOW}?) (?:live|living|based|reside|residing)(?: now| currently| here)? (?:in|near|at|outside|(?<!based )on) ${FIGURATIVE}(?<value>.{1,120})
  location; fact; user.location; lasting value=PLACED home :: (?:I|we)(?:'ve| have)?${NOW}? (?:moved(?: back)?|relocated|settled) (?:to|into|in) ${FIGURATIVE}(?<value>.{1,100})
  location; fact; user.location; lasting value=PLACED home :: (?:(?:my|our) )?new (?:place|home|flat|apartment|house) is (?:now )?(?:in|at|on) (?<value>.{1,100})
  location; fact; user.address; lasting value=HOUSE :: (?:I'm|I am|we're|we are)(?: now)? at (?<value>\p{L}.{1,80})
  origin; fact; user.origin; lasting value=PLACED :: I(?:'m| am| come)(?: originally)? from (?<value>\p{L}.{1,80})
  origin; fact; user.birthplace; lasting value=PLACED :: I was born in (?<value>\p{L}.{1,80})
  origin; fact; user.childhood; lasting value=PLACED :: I grew up in (?<value>\p{L}.{1,80})
  employer; fact; user.employer; lasting value=EMPLOYER :: (?:I${NOW}?|I'm${NOW}?|I am${NOW}?) (?:work|working|employed)(?: full-time| part-time)? (?:at|for|by) (?!(?:home|free|fun|nights?|weekends?|noon|least|most|hours|days|a living|the (?:office|moment|weekend|kitchen|table|desk))(?=$|[,.;!]| (?:and|but|on|in|from|because|with|at|until|every|most|when|again|now)\b))(?<value>.{1,120})
  employer; fact; user.employer; lasting value=PROPER :: I(?:'ve| have)?${NOW}? (?:started(?! (?:a|my) new\b)(?: working)?|joined(?=.{2,60} as an? )|got a new job|(?:got|started|accepted|took) (?:a|my) new (?:job|position|role)) (?:at |with |for )?(?<value>.{1,100})
  employer; fact; user.employer; lasting value=PROPER :: (?:I'm|I am)(?: now)? back (?:at|with) (?!it\b|the\b|my\b|you\b|home\b|work\b)(?<value>.{1,100})
  job; fact; user.job; lasting :: (?:I(?: now| currently)? work as(?! (?:expected|usual|normal|intended|designed|planned|fast|hard|much|long|well|soon|quick|before|it|if)\b)|my (?:job|profession|occupation|role|job title|title) is|I(?:'m| am)(?: now| currently)? (?!(?:not|no|so|such|like|just|more|never|always|only|the (?:best|worst|only|same))\b)(?=(?:(?:an?|the) )?${JOB}\b)) ?(?:an? |the )?(?<value>.{1,120})
  job; fact; user.job; lasting :: I(?:'ve| have)?${NOW}?(?: was| got| been)?(?: just)? promoted to (?:be )?(?:an? |the )?(?<value>.{1,120})
  being; fact; user.diet; lasting :: (?:I|we)(?:'m| am|'re| are|(?:'ve been| have been)(?!.*\b(?:before|once|in the past|any ?more)\b))(?: a| an| now| all| both| also| a strict| strictly)? (?<value>${DIET}.{0,100})
  being; fact; user.marital; lasting :: (?:I|we)(?:'m| am|'re| are)(?: now| finally| newly| still| happily)? (?<value>(?:single|married|divorced|engaged|widowed|separated)(?: again)?)(?: now)?(?=$|,)
  being; fact; user.marital; lasting :: (?:I|we)${NEWS} (?:got|gotten) (?<value>married|engaged|divorced)\b(?! to (?:do|see)\b).{0,60}
  jobless; fact; user.unemployed; lasting :: I(?:'ve| have)?${NOW}? (?:just )?(?<value>(?:quit|lost|left) my job|(?:was|got|been|am)(?: just)? (?:laid off|fired|let go|made redundant)|(?:am |'m )(?:now |currently )?(?:unemployed|jobless|out of work|between jobs))(?: (?:yesterday|today|now|recently|(?:last|this|in|on) .{2,20}))?
  being; fact; being; lasting :: (?:I|we)(?:'m| am|'re| are)(?: a| an| now| all| both| also)? (?<value>${STATE}.{0,100})
  age; fact; user.age; lasting :: I(?:'m| am| just turned|'ve turned| turned)(?: now)? (?<value>[1-9]\d(?: years old)?)(?: yesterday| today| now| last \p{L}+| this \p{L}+| in \p{L}+| on .{1,20})?
  allergy; fact; allergy; lasting value=ALLERGEN :: (?:I'm|I am) (?:severely |very |highly |also |a bit )?(?:allergic|intolerant) to (?<value>.{1,120})
  allergy; fact; allergy; lasting :: (?:I|we)(?:'m| am|'re| are)(?: now| all| both| also| severely| very| mildly| slightly| a bit)? (?<value>${INTOLERANT})[- ]intolerant\b.{0,100}
  allergy; fact; allergy; lasting :: I have an? (?:severe )?(?<value>\p{L}+(?: \p{L}+)?) (?:allergy|intolerance)
  about; fact; mine; lasting value=REACHED :: (?:my (?:current |new |home |private |personal )?|new )(?<topic>(?:work |office )?(?:e-?mail(?: address)?|phone(?: number)?|mobile(?: number)?|address)) (?:(?:is|are)(?: now| actually)?|(?:(?:has|have|is|was) )?(?:just )?changed to) (?<value>.{1,120})
  about; fact; mine; lasting value=REACHED whole :: (?:my|our) (?<topic>(?:work |office )?(?:e-?mail(?: address)?|phone(?: number)?|mobile(?: number)?|address)) (?:has |was )?(?:just )?changed(?:[,;:.]| -| –|,? and)(?: so)? (?:it's|it is|the new one is|the new (?:number|address) is|new (?:one|number|address):)(?: now)? (?<value>.{1,120}?)(?: now)?
  about; fact; mine; lasting value=PROPER :: my (?:current |new )?(?<topic>employer|company) is(?: now| actually| called)? (?<value>.{1,120})
  about; fact; mine; lasting :: my (?:current |new |home |work )?(?<topic>birthday|date of birth|time ?zone|pronouns|native language|mother tongue|first language|(?:github|gitlab|slack|twitter|discord)(?: handle| username| name| account)?|username|handle|home ?town|age) (?:is|are)(?: now| on| actually)? ${KNOWN}(?<value>.{1,120})
  about; fact; mine; lasting value=SHOWN whole :: (?:my |our )?(?:new )?(?<topic>address|phone(?: number)?|e-?mail)(?: from today| from now on| now| as of \p{L}+| from \p{L}+)?: (?<value>.{3,120})
  favourite; preference; favourite; lasting change :: (?:my|our) (?:new |current |all-time )?(?:favou?rite|preferred|go-to) (?<topic>(?!one\b|ones\b|thing\b|part\b)[\p{L}\uE000][\p{L}\p{N} '/\uE000-]{0,60}?) (?:is|are)(?: still| now)? (?:no longer (?<old>.{1,40}?) but |not (?<other>.{1,40}?) any ?more but )?(?!not\b|no longer\b|that\b|the one\b)(?<value>.{1,120})
  favourite; preference; favourite; value=GENERIC :: (?<value>${NAME}|\p{L}+ing [\p{L} ]{2,40})(?: is|'s| are)(?: still| now| definitely| probably| absolutely)? my (?:all-time )?(?:favou?rite|fave|top) (?<topic>(?!part|moment|memor|thing|pick|choice|one)[\p{L}]+(?: \p{L}+)?)
  favourite; preference; like; value=GENERIC :: (?<value>${NAME}|\p{L}+ing [\p{L} ]{2,40})(?: is|'s| are)(?: still| now| definitely| probably| absolutely)? (?:my (?:all-time )?(?:favou?rite|fave|top (?:pick|choice))|(?:one|some) of my (?:all-time )?(?:favou?rites?|faves?)(?: (?!part|moment|memor|thing)\p{L}+){0,2})
  prefer; preference; preference; :: (?:I|we|I'd|we'd|I would|our team|the team) ${OFTEN}prefer (?:to (?:use )?)?(?:using )?(?!not to\b)(?<value>.{1,120}?) (?:over|to|rather than|instead of|than|more than|and not) (?<old>.{1,120}?)(?: (?:for|when|in) (?<topic>.{1,120}))?
  prefer; preference; preference; :: (?:I|we|I'd|we'd|I would|our team) ${OFTEN}prefer (?:to use |using )?(?!not to\b|if\b)(?<value>.{1,120}?)(?: for (?<topic>.{1,120})|(?: (?:in|when|on|with) (?<scope>.{1,120})))?
  prefer; preference; like; :: (?:I'd|I would|we'd) (?:much |really )?rather (?:you )?(?<value>(?!not\b|know\b|see\b|be\b|die\b|go\b|do\b|have\b|stay\b|wait\b|leave\b).{1,160})
  like; preference; like; value=GENERIC :: I(?:'ve)? ${OFTEN}(?:do not |don't |don't really |grown to |come to |learned to |started to )?(?:like|love|enjoy|hate|dislike|loathe|despise|detest|adore|can't stand|cannot stand|can't bear) (?<value>.{1,160})
  like; preference; like; value=GENERIC :: (?:I'm|I am) (?:really |quite |kind of )?(?:not )?(?:a (?:big |huge |great )?(?:fan of|sucker for)|fond of|into|keen on) (?<value>.{1,120})
  like; preference; like; :: I (?:really |also )?don't (?:want|need) (?!to\b|you\b|it\b|that\b|this\b|the\b|an? \b|him\b|her\b|them\b|your?\b|my\b|us\b|anything\b|anyone\b|any more\b|people\b)(?<value>(?:any |so many |too many |two |three |four |five |long )?[\p{L}-]+s\b.{0,80})
  habit; preference; use; :: (?:I|we) (?:always|usually|mostly|normally|generally|typically|only|exclusively|never|almost always) (?:use|using) (?<value>.{1,120}?)${SCOPE}
  habit; fact; do; value=REGULAR :: (?:I|we)(?: also| now| always| usually| mostly| normally| generally| typically)? (?<value>${HABITS}\b.{0,160})
  habit; preference; do; :: (?:I|we)(?: now)? (?:always |never )(?<value>${HABITS}\b.{0,160})
  habit; fact; do; :: (?:I|we) (?:don't |do not )?(?<value>(?:smoke|drink (?=alcohol|coffee|tea|beer|wine)|eat (?=meat|fish|sugar|dairy|pork))\b.{0,60})
  habit; fact; do; lasting :: (?:I|we)(?:'ve| have)?${NOW}? (?:started|begun|began)(?: to)? (?<value>eat(?:ing)? (?:meat|fish|chicken))\b.{0,60}
  play; fact; do; lasting :: I(?: also| now)? (?<value>play (?:the )?(?:piano|guitar|violin|cello|flute|clarinet|drums|trumpet|saxophone|football|soccer|tennis|basketball|volleyball|handball|hockey|chess|rugby|golf)\b.{0,60})
  drive; fact; do; lasting value=SHOWN :: I(?: also| now)? (?<value>(?:drive|own|ride|rent) an? .{2,80})
  speak; fact; do; lasting value=SPOKEN :: I(?: also)?(?:'m)?(?: also)? (?<value>(?:speak|am learning|learning|study|am studying|studying) \p{L}.{1,120})
  train; fact; do; lasting :: I(?:'m| am)(?: now| also| currently)? (?<value>training for (?!it\b|them\b|this\b|that\b).{2,80})
  have; fact; have; lasting :: (?:I|we)(?: now| also)? have (?<value>(?:an?|two|three|four|five|\d+) (?:\p{L}+ ){0,2}(?:${KIDS}|wife|husband|diabetes|adhd|dyslexia)(?=$|[,(]| (?:and|in|at|from|who|with|named|called|aged|now|together)\b).{0,100})
  health; fact; ; :: (?:I|we) (?:(?:can't|cannot|mustn't|must not|am not allowed to|don't|do not) (?:eat|drink|tolerate|digest|have|take) (?=${FOOD})|take ${DOSE}|have (?:type \d )?(?=${ILLNESS})|am on (?=.{1,40}(?:medication|insulin|blood thinners)))(?<value>.{1,120})
  returned; decision; decision; value=CHOSEN old=CHOSEN back :: (?:we|I|the team|our team)${NEWS}(?: eventually)? (?:stay|stick|staying|sticking|stayed|stuck) (?:with|on) (?<value>.{1,80}?)(?: after all)?(?:,? (?:instead of|rather than|and not|not) (?<old>.{1,60}?))?(?: (?:for|as|in) (?<topic>.{1,120}))?
  returned; decision; decision; value=CHOSEN old=CHOSEN back :: (?:we|the team|our team)${NEWS}(?: eventually)? (?:(?:going|gone|went|go|switching|switched|migrating|migrated|rolling|rolled|reverting|reverted)(?: it)? back to|(?:reverting|reverted) to|back on) (?!(?:work|school|bed|sleep|normal|business|basics|square|track|schedule|our|the (?:office|house|hotel|beginning|drawing))\b)(?<value>.{1,80}?)(?: after all)?(?:,? (?:instead of|rather than|and not|not) (?<old>.{1,60}?))?(?: (?:for|as|in) (?<topic>.{1,120}))?
  returned; decision; decision; value=PROPER old=CHOSEN back :: (?:we|the team|our team)${NEWS} (?:keep|keeping|kept) (?=.{1,80} (?:for|instead of|rather than|and not|not)\b)(?<value>.{1,80}?)(?: after all)?(?:,? (?:instead of|rather than|and not|not) (?<old>.{1,60}?))?(?: (?:for|as|in) (?<topic>.{1,120}))?
  decided; decision; decision; value=CHOSEN :: (?:we|I|the team|our team)${NEWS}(?: eventually)? (?:(?:decided|agreed|opted|voted|resolved|committed|settled|standardi[sz]ed|standardi[sz]ing)(?: not)?(?: to| that we(?:'ll| will)?)?(?: not)? (?:use|using|go with|go for|adopt|stay with|stick with|keep|switch to|move to|migrate to|pick|on|for|against)|(?:chosen|chose|picked|selected)(?! to\b| up\b)(?=.{1,120} (?:for|as)\b)|going with) (?<value>.{1,120}?)(?: (?:for|as|in) (?<topic>.{1,120}))?
  changed; decision; use; value=CHOSEN old=CHOSEN change :: (?:we|I)${NEWS} (?:switched|migrated|moved|changed|gone|went)(?: over)? from (?<old>.{1,60}?) (?:over )?to (?<value>.{1,100}?)${TOPIC}
  changed; decision; decision; value=CHOSEN :: (?:we|I|the team|our team)${NEWS} (?:switched|switching|migrated|migrating|moved|moving)(?: over)? to (?<value>.{1,120}?)(?: (?:for|as|in) (?<topic>.{1,120}))?
  changed; decision; decision; old=CHOSEN change :: (?:we|I)${NEWS} (?:replaced|swapped)(?: out)? (?<old>(?!it\b|them\b|this\b|that\b|these\b|those\b|him\b|her\b|the old\b|the \p{L}+ (?:with|by) a\b).{1,60}?) (?:with|by|for) (?<value>.{1,120}?)${TOPIC}
  changed; decision; use; value=CHOSEN old=CHOSEN change :: (?:we|I)(?: now)? (?:use|run|deploy(?: to| on)?) (?<value>.{1,80}?)(?: now)?,? (?:instead of|rather than|and no longer|and not|not) (?<old>.{1,60}?)(?: (?:now|any ?more))?
  decided; decision; ; :: (?:we|the team|our team)${NEWS}(?: eventually)? (?:decided|agreed|resolved)(?: not)? (?:to|that) (?!go (?:for|to|back|home|out)\b|get (?:some|a)\b|take a\b|have a\b|grab\b|eat\b|try\b|meet up\b)(?<value>.{2,160})
  decided; decision; ; :: I(?:'ve| have) decided (?:to|that) (?!go (?:for|to|back|home|out)\b|get (?:some|a)\b|take a\b|have a\b|give\b|try\b|start\b|do\b|it\b|this\b)(?<value>.{8,160})
  decided; decision; decision; value=NO_ARTICLE :: (?:let's|let us|we'll|we will|we're going to|we are going to) (?:go with|settle on|stick with|stay with|standardi[sz]e on|adopt|switch to|use(?= .{1,80} (?:for|as|from now on)\b)) (?<value>.{1,120}?)${TOPIC}
  decided; decision; decision; :: (?:the|our|my) (?:final )?(?:decision|choice) (?:is|was|for (?<topic>.{1,60}?) (?:is|was))(?: to (?:use|go with))? (?<value>.{1,120})
  uses; technical; project; :: our (?<topic>[\p{L}\p{N}][\p{L}\p{N} ./-]{0,60}? (?:runs? on|is written in|are written in|is hosted on|is hosted at|is deployed (?:to|on|with)|is built with|is based on|lives (?:in|on|at)|listens on|is called)) (?<value>.{1,120})
  uses; technical; use; :: our (?<scope>[\p{L}\p{N}][\p{L}\p{N} ./-]{0,60}?) uses? (?<value>.{1,120})
  uses; technical; decision; value=PROPER :: (?:at work )?we(?: currently| now| all| still| mostly)? (?:use|run|deploy(?: to| with| on)?|host(?: on| with)?) (?<value>(?!the |a |an |this |that )[^ ].{0,80}?)(?: (?:for|as) (?<topic>.{1,120}))?
  uses; technical; use; value=VERSIONED :: (?:I'm|I am|I've been|we're|I)(?: currently)? (?:using|use) (?<value>.{1,100})
  use; preference; use; order :: (?:${FROM},? )?(?:please )?(?:always |never |don't ever |don't |do not |only |no longer |you must always |you should always |you must never |you should never |you must |make sure to always |make sure to )?(?:use|using|prefer) (?<value>.{1,80}?),? (?:instead of|rather than|over|and not|not) (?<old>.{1,80}?)${SCOPE}
  use; preference; use; order :: (?:${FROM},? )?(?:please )?(?:always|never|don't ever|don't|do not|only ever|stop|avoid|no longer|quit|(?:you (?:must|should)|I want you to|I need you to|I'd like you to|make sure to|be sure to) (?:please )?(?:always|never)|you must not|you should not|you shouldn't) (?:use|using) (?<value>.{1,120}?)${SCOPE}
  use; preference; use; order :: (?:${FROM},? (?:please )?use (?<value>.{1,120}?)|use (?<old>.{1,120}?),? ${FROM})
  avoid; preference; use; order :: (?:always |please )?avoid (?!the (?:error|problem|issue|bug)\b)(?<value>.{1,120}?)${SCOPE}
  always; preference; do; order :: (?:${FROM},? )?(?:please )?(?:(?:you (?:must|should) |I want you to |I need you to |I'd like you to |make sure to |be sure to |to ))?(?:always|never|under no circumstances)(?: ever)? (?<value>(?!mind\b|heard\b|seen\b|thought\b|knew\b|had\b|got\b|been\b|again\b|ever\b|a\b|an\b|the\b|something\b|happened\b|wanted\b|tried\b|worked\b|used\b|say never\b|the same\b|did\b|was\b|is\b|in\b|on\b|there\b|full\b|give up\b|know\b|up\b|good\b|great\b|nice\b|happy\b|glad\b|calm\b|fun\b|ready\b|open to\b|so\b|such\b|more\b|be\b|stop\b|forget\b|remember\b|(?!need|feed|embed|bring|ping)\p{L}+(?:ed|ing)\b)[\p{L}\uE000]+(?:-\p{L}+)? .{1,160})
  don't; preference; do; order :: (?:${FROM},? )?(?:please )?(?:(?:you must |you should |I want you to |I need you to |I'd like you to ))?(?:don't|do not|not(?= to\b)|stop|no longer) (?:ever |to )?(?<value>(?!say that|tell me (?:that|you)|ask me (?:why|how)|wait\b|stop\b|give up\b|put up\b|keep (?:it|me|us)\b|make (?:me|fun|it)\b)${DO}(?:[a-z]?ing)? .{1,160})
  from now on; preference; do; order :: ${FROM},? (?!I\b|he\b|she\b|they\b|it\b|the\b)(?:please )?(?<value>\p{L}+ .{1,160})
  from now on; preference; do; order :: (?:please )?(?<value>(?:always |never |don't |do not |only )?${DO} .{2,120}?),? (?:from now on|going forward|from here on|henceforth|from today on)
  every time; preference; do; order value=REGULAR :: (?:please )?(?<value>(?:remind|nag|ping|tell|ask|call|wake|warn|message|text|send) (?:me|us) .{2,120})
  in general; preference; do; order whole :: (?:in|for|with) (?<scope>(?!this|that|the|now|case|general|short)(?:\p{L}+ ){0,3}\p{L}+s)(?::|,) (?<value>(?:please |always |never |don't )?${DO}\b.{3,160})
  answers; preference; ; :: (?:please )?(?:${FROM},? )?(?:(?:I want|I need|I expect|give me) (?:all |all of )?your|keep(?: all| all of)?(?: your| the| my)?) (?<topic>answers|replies|responses|explanations|messages)(?<value> .{1,160})
  relation; entity; entity; lasting whole who=NAMED change :: (?<old>${NAME})(?: is|'s)(?:n't| not| no longer) (?:my|our) (?<topic>(?:(?!not\b)\p{L}[\p{L}-]{0,20} ){0,2}?${ONE})(?: any ?more)?(?:,|;| [–-]|,? but)(?: now)?(?: it's| it is)? (?<who>${NAME})(?: is)?(?: now)?
  relation; entity; entity; lasting whole who=NAMED change :: (?:my|our) (?<topic>(?:(?!not\b)\p{L}[\p{L}-]{0,20} ){0,2}?${ONE})(?: is|'s)(?:n't| not| no longer) (?<old>${NAME})(?: any ?more)?(?:,|;| [–-]|,? but)(?: now)?(?: it's| it is)? (?<who>${NAME})(?: is)?(?: now)?
  relation; entity; entity; lasting who=NAMED change :: (?:(?:my|our) (?:new |current )?|the new )(?<topic>(?:(?!not\b)\p{L}[\p{L}-]{0,20} ){0,2}?${ONE})(?:'s name)?(?: is|'s)(?: now| still| called| named| actually)? (?:no longer (?<old>.{1,40}?) but )?(?<who>${NAME})(?:,? (?:at|on|from|in|with|of|now|because|since|after)\b.{0,60}|,.{0,80})?
  relation; entity; person; lasting who=NAMED :: (?:my|our) (?:new |current )?(?<topic>(?:(?!not\b)\p{L}[\p{L}-]{0,20} ){0,2}?(?:${MANY}|${PET}))(?:'s name)?(?: is|'s)(?: now| still| called| named| actually)? (?<who>${NAME})(?:,? (?:at|from|in|with|of|now)\b.{0,60}|,.{0,80})?
  relation; entity; entity; lasting who=NAMED :: (?<who>${NAME})(?: is|'s)(?: now| also)? (?:my|our) (?:new |current )?(?<topic>(?:(?!not\b|favou?rite\b|old\b|former\b)\p{L}[\p{L}-]{0,20} ){0,2}?${ONE})(?: now|,? (?:at|for|from|in|and) .{1,60})?(?:,? (?:and )?(?:not|instead of) ${NAME})?
  relation; entity; person; lasting who=NAMED :: (?<who>${NAME})(?: is|'s)(?: now| also)? (?:my|our) (?:new |current )?(?!(?:best |good |only |old )?friend$)(?<topic>(?:(?!not\b|favou?rite\b|old\b|former\b)\p{L}[\p{L}-]{0,20} ){0,2}?(?:${MANY}|${PET}))(?: now|,? (?:at|for|from|in|and) .{1,60})?
  relation; entity; entity; lasting who=NAMED :: (?<who>${NAME}) \((?:(?:my|our) )?(?<topic>${ONE})(?:,[^)]{1,40})?\)(?<value>.{0,160})
  relation; entity; person; lasting who=NAMED :: (?<who>${NAME}) \((?:(?:my|our) )?(?<topic>${MANY})(?:,[^)]{1,40})?\)(?<value>.{0,160})
  relation; entity; ; lasting who=NAMED :: (?:my|our) (?<topic>(?:[\p{L}-]+ ){0,2}[\p{L}-]+) (?:is|'s)(?: now)? (?<who>(?:mr|mrs|ms|dr|prof)\.? ${WORD}(?: ${WORD})?)(?:,? (?:at|from|in)\b.{0,60})?
  relation; entity; ; lasting who=SEVERAL :: (?:my|our) (?:two |three |four |\d )?(?:${KIDS}|parents|neighbou?rs|cofounders|co-founders)(?:'s?)?(?: names)? are (?:called |named )?(?<who>${WORD}(?:, ${WORD}){0,4},? and ${WORD})
  relation; fact; ; lasting who=NAMED :: (?<who>${NAME}) (?:does|handles|manages|runs|looks after|takes care of|keeps|audits|prepares|supplies(?: us with)?|delivers|cleans|repairs|hosts|insures) (?:all )?(?:of )?(?:my|our) (?!day\b|life\b|mind\b|thing\b|best\b|heart\b|time\b|share\b|wonders\b)(?<value>.{1,100})
  relation; fact; ; lasting who=SOMEBODY :: (?<who>${MINE}|${NAME}) (?:is|'s) (?:now )?(?:responsible for|in charge of|the (?:main |right )?(?:contact|person)(?: person)? for) (?<value>.{1,100})
  allergy; fact; allergy; lasting who=SOMEBODY value=ALLERGEN :: (?<who>${MINE}|${NAME})(?: from (?:the )?\p{L}{2,20})?(?:,? who .{1,40},)? (?:is|are)(?: now| also| really| very| highly| severely| badly| mildly)? (?:allergic|intolerant) to (?<value>.{1,100})
  health; fact; of.health; who=SOMEBODY :: (?<who>${MINE}|${NAME})(?: from (?:the )?\p{L}{2,20})? (?<value>(?:(?:is|are)(?: now| also)? (?:a )?(?:strict )?(?:${DIET}|${INTOLERANT}|${STATE})|(?:has|have) (?:an? |any |severe |bad |mild |type \d ){0,2}(?:[\p{L}'-]+ ){0,2}${ILLNESS}|(?:can't|cannot|doesn't|does not|mustn't|must not|isn't allowed to|is not allowed to) (?:eat|drink|tolerate|digest|have|take) (?=${FOOD})|(?:eats?|drinks?) (?:only |no |(?=.{2,30} again\b))|takes? ${DOSE}|is on (?=.{1,40}(?:medication|antibiotics|insulin|blood thinners|a .{1,20}diet))).{0,100})
  relation; fact; of.life; who=SOMEBODY :: (?<who>${MINE}) (?<value>(?:(?:works?|is working)(?: now| part-time| full-time)? (?:at|for|in|as|with) (?!peace\b|progress\b|the evenings?\b)|works? (?=(?:nights?|night shifts|weekends|shifts|from home|part-time|full-time|remotely)\b)|(?:lives?|is living)(?: now)? (?:in|at|near|on|with|next to|above|below) ${FIGURATIVE}|(?:moved|has moved|just moved)(?: back)? to (?!the next\b|a new\b)|is (?:now )?an? (?=${JOB}\b)|(?:is studying|stud(?:ies|y)) (?!for\b|hard\b)|(?:go|goes|is going) to (?=(?:.{0,30}(?:school|primary|secondary|kindergarten|nursery|college|university|daycare)\b))|(?:is|just turned|turned) (?=(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:$|,| (?:(?:years|months|weeks) old|now|and|but|in|on|last|this|next)\b))|was born (?:on|in) |is (?:married|engaged) to |plays? (?:the )?(?=\p{L}+(?:$|,| (?:in|at|on|for|with)\b))|speaks? (?=(?:only |fluent )?(?:\p{L}+(?:an|ish|ese|ch|ic)|hindi|urdu|dutch)\b)|(?:drives?|owns?|has|have) (?:an?|two|three|four) (?!look\b|point\b|question\b|problem\b|chance\b|good\b|great\b|bad\b|hard\b|way\b|lot\b|idea\b|meeting\b)).{1,120})
  relation; fact; ; lasting :: (?:my|our) (?:grand)?(?:parents|kids|children|sons|daughters|in-laws|brothers|sisters) (?:live|work|moved|go to school|study) (?:in|at|near|to|with) (?<value>.{2,80})
  relation; fact; of.partner; lasting who=NAMED :: (?:I'm|I am|I've been|I have been) (?:married to|engaged to|dating) (?<who>${NAME})(?: now| again)?(?: (?:for|since) .{1,40})?
  about; fact; owned; lasting who=SOMEBODY value=REACHED :: (?=[^']{2,60}'s? (?:${ABOUT}) )(?<who>(?:my|our|the) (?!user|customer|client|class|function|object|server|form|field|person|employee|sender|recipient|record|model|request|response|row|column)[\p{L}][\p{L} -]{0,50}?|${NAME})'s? (?<topic>${ABOUT}) (?:is|are)(?: now| on| actually| the)? ${KNOWN}(?<value>.{1,120})
  about; fact; entity; lasting value=REACHED :: (?:my|our) (?:new |current )?(?<topic>(?:${ABOUT})(?: (?:at|with|for) .{1,40}?)?) (?:is|are)(?: now| on| actually)? ${KNOWN}(?<value>.{1,120})
  about; fact; entity; lasting :: (?:my |our |the )?(?:new |current )?(?<topic>${PLACE}) (?:is|are|ends|starts|begins)(?: now| on| actually| called)? ${KNOWN}(?<value>.{2,120})
  about; fact; entity; lasting value=REPEATED :: (?:our|the) (?<topic>(?:[\p{L}-]+ ){0,3}(?:meeting|standup|stand-up|sync|call|retro|retrospective|review|demo|lesson|class|training|practice|rehearsal|jour fixe|all-hands|1:1|one-on-one)) (?:is|takes place|happens)(?: now| always)? (?:on |at |every )?(?=(?:every|each|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekly|daily|monthly|the (?:first|second|last)|alternate)\b)(?<value>.{1,100})
  about; fact; entity; lasting value=SHOWN :: my (?:new )?(?<topic>car|bike|motorbike|phone|laptop|computer|camera|bank|insurer|gym|doctor|school|university) is (?:now )?(?:an? |the )(?!(?:middle|same|verge|point)\b)(?<value>.{2,80})
  about; fact; entity; lasting value=SHOWN :: our (?:new )?(?<topic>office|shop|store|company|headquarters|studio|school|warehouse|clinic|practice) (?:is (?:now )?(?:located )?(?:at|in|on)|(?:has |have )?(?:just |recently )?(?:moved|relocated) to) (?!the (?:middle|same|verge|point|next)\b)(?<value>.{2,80})
  changed; fact; use; value=SHOWN old=SHOWN change :: (?:I|we)${NEWS} (?:replaced|swapped|traded in|traded|exchanged) (?:my|our) (?:old )?(?<old>.{1,60}?) (?:with|by|for) (?<value>(?:an? |the )?.{1,80})
  relation; fact; entity; lasting whole who=NAMED :: (?:I|we)${NEWS} (?:changed|switched) (?:my |our )?(?<topic>${ONE}|gym|school|insurer|phone company|energy company)s?(?:,|;|:| and| –| -) ?(?:(?:now )?(?:I|we)(?:'m|'re| am| are)? )?(?:now )?(?:see|go to|with|at|use|seeing|going to) (?<who>${NAME})(?: now)?
  relation; entity; entity; lasting who=NAMED :: I(?:'m)?(?: now| currently)? (?<topic>report)(?:ing)? to (?<who>${NAME})(?: now)?
  relation; entity; entity; lasting who=NAMED :: (?<who>${NAME}) (?:took over|has taken over|takes over|is taking over|started|joined us|(?:has )?replaced ${NAME}) as (?:my|our) (?:new )?(?<topic>(?:(?!not\b)\p{L}[\p{L}-]{0,20} ){0,2}?${ONE})(?: now)?
  moved; fact; dated; :: (?:(?:the|our|my) )?(?<topic>${EVENT})(?: (?:at|in|with|for) [\p{L}'. ]{2,30}?)?(?: is|'s) now (?:on |at )?(?=${DAY})(?!(?:the )?\d+(?:x\b| ?%| (?!(?:at|instead|because|o'clock|am|pm|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))))(?<value>.{1,100})
  dated; fact; date; value=MONTH :: (?:my|our) (?<topic>(?:[\p{L}'-]+ ){0,3}?(?:flight|train|wedding|honeymoon|holidays?|vacation|trip|exam|surgery|operation|appointment|interview|offsite|retreat|conference|deadline|launch|release|go-live|party|graduation|lease|contract|audit|baby|due date))(?: (?:to|in|with|for|at|from) .{1,40}?)? (?:is|is due|leaves|departs|starts|begins|takes place|ends|expires|runs out|lands|arrives)(?: now)? (?:on|at|in|from|until|the)? ?(?<value>.{2,80})
  dated; fact; date; value=MONTH :: (?:(?:I|we)(?:'ve| have)(?: got)?|(?:I've|we've|I have|we have) (?:just )?booked|I booked) (?:an?|the|my|our|another) (?<topic>(?:(?!not\b|great\b|few\b|lot\b)[\p{L}'-]+ ){0,3}?(?:flight|train|wedding|trip|exam|test|surgery|operation|appointment|interview|check-?up|offsite|retreat|conference|deadline|party|audit|meeting|call|lesson|class|viewing|session))(?: (?:to|in|with|for|at|from) .{1,40}?)? (?:on|for|at) (?:the )?(?<value>.{2,80})
  moved; fact; dated; :: (?:(?:the|our|my) )?(?<topic>${EVENT})(?: (?:at|in|with|for) [\p{L}'. ]{2,30}?)? (?:has been |was |is being |is |has |got )?(?:now )?(?:moved|shifted|postponed|rescheduled|pushed(?: back)?|brought forward|delayed|extended)(?: from .{1,40}?)? (?:to|until|till|by) (?=${DAY})(?<value>.{1,100})
  moved; fact; dated; whole :: (?:(?:the|our|my) )?(?<topic>${EVENT})(?: (?:at|in|with|for|to) [\p{L}'. ]{2,30}?)? (?:has been |was |is |has |got )(?:moved|rebooked|changed|shifted|postponed|rescheduled|pushed(?: back)?|delayed)(?:,|;| -| –)?(?: and| so)? (?:now )?(?:it's|it is|it will be)(?: now)? (?:on |at )?(?=${DAY})(?<value>.{1,100})
  moved; fact; dated; :: we(?:'ve| have)?(?: just| now)? (?:moved|shifted|postponed|rescheduled|pushed(?: back)?) (?:the|our|my) (?<topic>${EVENT})(?: back| forward)?(?: from .{1,40}?)? (?:to|until|till) (?=${DAY})(?<value>.{1,100})
  moved; fact; dated; :: (?:(?:the|our|my) )?(?<topic>${EVENT})(?: (?:at|in|with|for) [\p{L}' ]{2,30}?)? (?:has been |was |is |got (?!off)|stays but is )(?<value>(?:moved (?:forward|back|up)|brought forward|postponed|cancell?ed|called off|off)\b(?! the\b).{0,80})
  corrected; fact; ; context value=SHOWN :: (?:it's|it is|that's|that is|they're)(?: now)? (?<value>.{2,60}?),? (?:rather than|instead of|and not|not) (?:on |at |in )?(?:the )?.{1,40}
  corrected; fact; dated; :: (?:the|our|my) (?<topic>${EVENT})(?: is|'s| takes place) (?:now )?(?<value>(?:on|at|in) .{2,60}?),? (?:not|and not|instead of|rather than) (?:on |at |in )?.{2,60}
  changed; fact; moved; lasting who=SOMEBODY value=PROPER old=PROPER change :: (?<who>${MINE}|${NAME})(?:'s| has| have)?(?: just| recently| now)? (?:moved|relocated|transferred|switched|changed(?: jobs| schools)?|gone|went|migrated)(?: over)? from (?<old>.{1,60}?) to (?<value>.{1,100})
  changed; fact; changed; value=SHOWN change :: (?<topic>(?!(?:I|we|he|she|it|they|you|this|that|things|everything|something|which)\b)(?:\p{L}[\p{L}\p{N}'-]{0,30} ){0,5}[\p{L}][\p{L}\p{N}'-]{0,30}?)(?: is|'s| are| was| were| has been| have been| got)?(?: now| just)? (?:changed|moved|switched|migrated|goes|went|raised|increased|lowered|reduced|extended|renamed)(?: up| down| over)? from (?<old>.{1,60}?) to (?<value>.{1,100})
  changed; fact; changed; value=SHOWN :: (?<topic>(?!(?:I|we|he|she|it|they|you|this|that|things|there)\b)(?:\p{L}[\p{L}\p{N}'-]{0,30} ){0,4}[\p{L}][\p{L}\p{N}'-]{0,30}?) (?:is|are|goes|starts|ends|takes|costs|runs|lives|comes|happens|begins) (?<value>(?=.{0,80}\bnow\b).{2,100}?) instead of (?<old>.{1,60})
  changed; fact; changed; change value=CHOSEN :: (?:we|I)${NEWS} (?:switched|changed) (?:our|my) (?<topic>[\p{L}\p{N}][\p{L}\p{N} '-]{0,60}?) from (?<old>.{1,60}?) to (?<value>.{1,100})
  changed; fact; ; value=SHOWN :: (?:we|I)${NEWS} (?:renamed|changed|switched|moved|migrated|increased|raised|lowered|reduced|cut) (?:the|our|my) (?<topic>[\p{L}\p{N}][\p{L}\p{N} '-]{0,60}?) (?:from .{1,60}? )?to (?!see\b|make\b|be\b|get\b|avoid\b|help\b|do\b|let\b|keep\b)(?<value>.{1,100})
  changed; fact; ; :: (?:we|I)${NEWS} (?:hired|adopted|signed(?: up)? with|signed a contract with|opened an? (?:\p{L}+ )?(?:office|account|branch) (?:in|at|with)|bought an? (?:\p{L}+ )?(?:house|flat|apartment|car|dog|boat))(?! (?:him|her|them|it|this|you|new people)\b)(?<value>.{0,120})
  changed; fact; entity; value=SHOWN :: (?:my|our) (?<topic>[\p{L}][\p{L} -]{1,40}?)(?: is|'s| was| has been)(?: now)? (?:replaced|changed|renamed)(?: with| by| to|,) (?<value>.{2,80})
  changed; fact; ; value=DOSED :: (?:we|I)(?:'re|'m)? (?:now )?(?:go|went|going|are|am) (?:up|down|back|over) to (?<value>.{2,80})
  changed; decision; ; value=VERSION :: we (?:now )?(?:move|switch|upgrade|migrate|go(?: straight| directly)?) to (?<value>.{1,80})
  changed; decision; ; who=SINGLE :: (?<who>${WORD}) (?:stays|remains)(?: as (?:it is|is)| where it is)?
  changed; fact; ; who=FULL :: (?<topic>(?!(?:he|she|it|they|this|that|who|which)\b)(?:\p{L}+ ){0,2}\p{L}+) (?:now )?(?:goes|belongs) to (?<who>${NAME})(?: now)?
  changed; fact; ; who=NAMED :: (?<who>${NAME}) (?:takes over|supersedes|replaces) (?!me\b|it\b|that\b)(?<value>.{2,80})
  no longer; fact; ; :: (?:(?:my|our) [\p{L}][\p{L}' -]{0,60}?|the (?:office|team|company|project|shop|server|account|contract|supplier|client|customer|api|repo|repository|service|meeting|wi-?fi|code|deadline)(?: \p{L}+)?) (?:is|are|isn't|aren't) no longer (?!a problem\b|an issue\b|broken\b|working\b|here\b|there\b|the same\b|needed here\b)(?<value>.{2,120})
  no longer; fact; ; :: (?:I|we) no longer (?:live|work|drive|own|have|rent|subscribe|buy|order|belong|offer|sell|ship|deliver) (?:in|at|for|with|from|an?|the|to|our|my) (?<value>(?!time\b|idea\b|energy\b|money\b|heart\b|chance\b).{2,120})
`;

/** A habit that is denied: "I don't read the paper any more" need not say on which days. */
export const HABIT = patternOf(
  `^(?:I|we)(?: always| usually| mostly| normally| often| also)? (?<value>(?:${HABITS}) .{2,120})$`,
);

/** The rules of English. */
export const ENGLISH_RULES: readonly CaptureRule[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [head = "", source = ""] = line.split(" :: ");
    const [trigger = "", category = "", key = "", flags = ""] = head.split(";").map((cell) => cell.trim());
    const ends = flags.split(" ").includes("cut") ? "" : "$";
    return {
      trigger,
      category: category as FactCategory,
      key,
      flags: new Set(flags.split(" ")),
      pattern: patternOf(`^(?:${source.trim()})${ends}`),
    };
  });
