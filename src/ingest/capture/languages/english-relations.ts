import { type CaptureRule, part, pattern } from "../language-rules.ts";

/** People of whom somebody usually has one at a time, so that the next one replaces the last. */
const ONE = part`(?:wife|husband|partner|spouse|girlfriend|boyfriend|fiancée?|mother|mom|mum|father|dad|mother-in-law|father-in-law|boss|manager|team lead|supervisor|accountant|bookkeeper|tax advis[eo]r|landlord|landlady|doctor|gp|family doctor|dentist|pa?ediatrician|vet|therapist|physiotherapist|hairdresser|barber|lawyer|solicitor|plumber|electrician|gardener|cleaner|mechanic|caretaker|nanny|babysitter|au pair|supplier|caterer|printer|insurer|insurance company|internet provider|hosting provider|bank|assistant|secretary|receptionist|ceo|cto|cfo|coo|product owner|product manager|project manager|office manager|head of \p{L}+|piano teacher|tutor|landlord's agent)`;
/** People of whom there may be several. A second one does not contradict the first. */
const MANY = part`(?:son|daughter|child|kid|baby|stepson|stepdaughter|brother|sister|twin|grandmother|grandma|granny|grandfather|grandpa|grandson|granddaughter|uncle|aunt|cousin|nephew|niece|godson|goddaughter|brother-in-law|sister-in-law|friend|roommate|flatmate|housemate|neighbou?r|colleague|coworker|co-worker|cofounder|co-founder|intern|trainee|client|customer|vendor|contractor|contact|teacher|coach|trainer|tenant|guest|designer|developer|engineer|consultant|adviser|advisor|agent|broker)`;
const PET = part`(?:dog|cat|puppy|kitten|pet|horse|rabbit|hamster|parrot)`;
const KIN = part`(?:(?!not\b)\p{L}[\p{L}-]{0,20} ){0,2}?(?:${ONE}|${MANY})`;
const WORD = part`\p{L}[\p{L}\p{M}'.&-]{0,30}`;
/**
 * Matches a name, perhaps with a title. The common first words of clauses are excluded first, which
 * spares most clauses the rest of the pattern.
 */
const TITLED = part`(?!(?:I|I'm|I've|I'd|you|you're|he|she|it|it's|we|they|this|that|that's|these|those|there|here|what|how|who|when|where|the|a|an|my|our|your|his|her|their|so|and|but|if|in|on|at|for|to|of|with|by|as|can|do|not|no|yes|all|just|have|is|are|was|thanks) )(?:(?:mr|mrs|ms|dr|prof)\.? )?${WORD}(?: (?:&|${WORD})){0,3}?`;
/**
 * Accepts "Lena", "Mr. Behrens", "Kranz GmbH". Refuses pronouns, and words that have a capital only
 * because they begin a sentence.
 */
const NAMED =
  /^(?!(?:I|He|She|It|We|You|They|This|That|These|Those|There|Here|Who|What|Which|Where|When|How|Why|Every\p{L}*|Some\p{L}*|Any\p{L}*|No|Nobody|None|Nothing|One|All|Both|Most|Many|People|Today|Tomorrow|Yesterday|My|Our|Your|His|Her|Its|Their|The|A|An|And|But|So|If|Then|Now|Maybe|Perhaps|Not|Never|Always|Just|Only|German|French|English|British|American|Spanish|Italian|Chinese|Japanese|Korean|Indian|Russian|Dutch|Swedish|Norwegian|Danish|Finnish|Polish|Turkish|Greek|Irish|Scottish|Canadian|Australian|Austrian|Swiss|Mexican|Brazilian|Portuguese|Jewish|Muslim|Catholic|Buddhist|Hindu|Sikh|Republican|Egyptian|Iranian|Syrian|Ukrainian|Hungarian|Romanian|Bulgarian|Czech|Slovak|Croatian|Serbian|Thai|Vietnamese|Nigerian|African|Asian|European|Belgian|Israeli|Arab|CEO|CTO|CFO|COO|VP|HR|OK|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)(?![\p{L}\p{M}]))\p{Lu}[\p{L}\p{M}'.&-]*(?: (?:(?:van|von|de|del|della|di|da|der|den|the|of|and|&) ){0,2}\p{Lu}[\p{L}\p{M}'.&-]*)*$/u;
/** Accepts a name, or "my daughter", "the plumber". */
const SOMEBODY = new RegExp(
  String.raw`^(?:[Mm]y|[Oo]ur|[Tt]he) \p{L}|(?:[Mm]y|[Oo]ur) [\p{L} -]+$|${NAMED.source}`,
  "u",
);
const MINE = part`(?:my|our) ${KIN}(?:,? ${WORD}(?: ${WORD})?,?)?`;
const JOB = part`(?:[\p{L}-]+ ){0,3}(?:engineer|manager|student|doctor|nurse|lawyer|teacher|chef|cook|carpenter|plumber|electrician|designer|developer|architect|pilot|journalist|accountant|dentist|pharmacist|scientist|researcher|musician|librarian|translator|consultant|analyst|vet|firefighter|police officer|farmer|baker|hairdresser|midwife|therapist|photographer|writer|editor|professor|surgeon|social worker|lecturer)`;
const FOOD = part`(?:any )?(?:dairy|milk|lactose|gluten|wheat|bread|nuts?|peanuts?|walnuts?|hazelnuts?|almonds?|eggs?|fish|shellfish|seafood|shrimps?|soy|sesame|pork|meat|beef|sugar|alcohol|caffeine|coffee|tomato(?:es)?|onions?|strawberr(?:y|ies)|honey|mushrooms?|celery|mustard|penicillin|ibuprofen|aspirin|paracetamol|antibiotics)\b`;
const HEALTH = part`(?:
  (?:is|are)(?: now| also| really| very| highly| severely| badly| mildly)? (?:(?:allergic|intolerant) to|(?:lactose|gluten)[- ]intolerant|(?:a )?(?:strict )?(?:vegetarian|vegan|pescatarian|c(?:o)?eliac|diabetic|asthmatic|colou?r-?blind|dyslexic|deaf|epileptic|left-handed)\b)
  |has (?:an? |severe |bad |mild |type \d ){0,2}(?:[\p{L}'-]+ ){0,2}(?:parkinson's|alzheimer's|dementia|arthritis|gout|allerg(?:y|ies)|intolerance|diabetes|asthma|adhd|epilepsy|c(?:o)?eliac|migraines|dyslexia|autism|high blood pressure|hay fever)(?![\p{L}])
  |(?:can't|cannot|can not|doesn't|does not|mustn't|must not|shouldn't|isn't allowed to|is not allowed to) (?:(?:eat|drink|tolerate|digest) (?!at\b|on\b|in\b|out\b|alone\b|before\b|after\b|when\b|here\b|it\b|that\b|this\b|much\b|enough\b|anything\b|there\b|with\b)|(?:have|take) (?=${FOOD}))
  |(?:eats|drinks) (?:only |no )
  |takes (?=.{1,80}(?:\b\d+ ?mg\b|\b(?:daily|every day|every morning|every evening|once a day|twice a day)\b))
  |is on (?=.{1,40}(?:medication|antibiotics|insulin|blood thinners|a .{1,20}diet))
)`;
const LIFE = part`(?:
  (?:works|is working)(?: now| part-time| full-time)? (?:at|for|in|as|with) (?!peace\b|progress\b|the evenings?\b)
  |works (?=(?:nights?|night shifts|weekends|shifts|from home|part-time|full-time|remotely)\b)
  |(?:lives|is living)(?: now)? (?:in|at|near|on|with|next to|above|below) (?!peace\b|the moment\b|fear\b)
  |(?:moved|has moved|just moved|has just moved)(?: back)? to (?!the next\b|a new\b)
  |is (?:now )?an? (?=${JOB}\b)
  |(?:is studying|studies) (?!for\b|hard\b)
  |(?:goes|is going) to (?=(?:.{0,30}(?:school|kindergarten|nursery|college|university|daycare)\b))
  |(?:is|just turned|turned|has turned) (?=(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:$|,| (?:(?:years|months|weeks) old|and|but|in|on|last|this|next)\b))
  |was born (?:on|in) 
  |is (?:married|engaged) to 
  |plays (?:the )?(?=(?:piano|guitar|violin|cello|flute|drums|trumpet|saxophone|football|soccer|tennis|basketball|volleyball|handball|hockey|chess|rugby|golf)\b)
  |speaks (?=(?:only |fluent )?(?:\p{L}+(?:an|ish|ese|ch|ic)|hindi|urdu|dutch)\b)
  |(?:no longer|doesn't|does not) (?:works?|lives?) (?:at|in|for|with) 
  |(?:drives|owns|has) (?:an?|two|three|four) (?!look\b|point\b|question\b|problem\b|chance\b|good\b|great\b|bad\b|hard\b|way\b|lot\b|idea\b|meeting\b)
)`;
/** Excludes passing states: that a thing is broken or on its way is not worth keeping. */
const KNOWN = part`(?!not\b|wrong\b|broken\b|missing\b|unknown\b|invalid\b|too\b|so\b|very\b|still\b|coming\b|soon\b|next\b|the same\b|just\b|a bit\b|really\b|always\b|in \d|up\b|out\b|today\b|tomorrow\b)`;
/** Accepts a date with a number or a month, but not "soon" and "on Saturday". */
const DATED =
  /\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|christmas|new year)\b/iu;
/** Accepts a day of the year. "On Thursday" and "at nine" are over by the time the fact is read. */
const MONTH =
  /\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|\d{4}-\d\d|\b\d{1,2}[./]\d{1,2}\b/iu;
const REACHED = /^[+(]?\d(?!.*\b(?:digits?|characters|long|chars)\b)/iu;

const lines = { category: "fact", lasting: true } as const;

/**
 * The English rules for people and things that belong to the speaker. They are tried after the
 * rules for the speaker himself.
 */
export const ENGLISH_RELATIONS: readonly CaptureRule[] = [
  ...(
    [
      [ONE, "entity"],
      [`(?:${MANY}|${PET})`, undefined],
    ] as const
  ).flatMap(([noun, key]): CaptureRule[] => [
    {
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      who: NAMED,
      pattern: pattern`^(?:my|our) (?:new |current )?(?<topic>(?:(?!not\b)\p{L}[\p{L}-]{0,20} ){0,2}?${noun})(?:'s name)?(?: is|'s)(?: now| still| called| named| actually)? (?<who>${TITLED})(?:,? (?:at|from|in|with|of|now)\b.{0,60}|,.{0,80})?$`,
    },
    {
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      who: NAMED,
      pattern: pattern`^(?<who>${TITLED})(?: is|'s)(?: now| also)? (?:my|our) (?:new |current )?(?!(?:best |good |only |old )?friend$)(?<topic>(?:(?!not\b|favou?rite\b|old\b|former\b)\p{L}[\p{L}-]{0,20} ){0,2}?${noun})(?: now|,? (?:at|for|from|in|and) .{1,60})?$`,
    },
  ]),
  {
    // Any relation is accepted: "our cleaning lady is Mrs. Novak" says who she is.
    trigger: "relation",
    category: "entity",
    lasting: true,
    who: NAMED,
    pattern: pattern`^(?:my|our) (?<topic>(?:[\p{L}-]+ ){0,2}[\p{L}-]+) (?:is|'s)(?: now)? (?<who>(?:mr|mrs|ms|dr|prof)\.? ${WORD}(?: ${WORD})?)(?:,? (?:at|from|in)\b.{0,60})?$`,
  },
  {
    trigger: "relation",
    category: "entity",
    lasting: true,
    pattern: pattern`^(?:my|our) (?:two |three |four |\d )?(?:kids|children|sons|daughters|twins|brothers|sisters|dogs|cats|parents|grandchildren|neighbou?rs|cofounders|co-founders)(?:'s?)?(?: names)? are (?:called |named )?(?<who>${WORD}(?:, ${WORD}){0,4},? and ${WORD})$`,
    who: /^\p{Lu}.* and \p{Lu}/u,
  },
  {
    ...lines,
    trigger: "relation",
    who: NAMED,
    pattern: pattern`^(?<who>${TITLED}) (?:does|handles|manages|runs|looks after|takes care of|keeps|audits|prepares|supplies(?: us with)?|delivers|cleans|repairs|services|prints|hosts|insures) (?:all )?(?:of )?(?:my|our) (?!day\b|life\b|mind\b|thing\b|best\b|heart\b|time\b|share\b|wonders\b)(?<value>.{1,100})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) (?:is|'s) (?:now )?(?:responsible for|in charge of|the (?:main |right )?(?:contact|person)(?: person)? for) (?<value>.{1,100})$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|my ${PET}|${TITLED})(?: from (?:the )?\p{L}{2,20})?(?:,? who .{1,40},)? (?:is|are)(?: not| no longer)?(?: now| also| really| very| highly| severely| badly| mildly)? (?:allergic|intolerant) to (?!me\b|you\b|work|fun\b|nonsense\b)(?<value>.{1,100})$`,
  },
  {
    trigger: "health",
    category: "fact",
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|my ${PET}|our ${PET}|${TITLED})(?: from (?:the )?\p{L}{2,20})? ${HEALTH}(?<value>.{0,100})$`,
  },
  {
    trigger: "health",
    category: "fact",
    pattern: pattern`^(?:I|we) (?:(?:can't|cannot|can not|mustn't|must not|am not allowed to|don't|do not) (?:eat|drink|tolerate|digest|have|take) (?=${FOOD})|take (?=.{1,80}(?:\b\d+ ?mg\b|\b(?:daily|every day|every morning|every evening|once a day|twice a day)\b))|have (?:type \d )?(?=(?:diabetes|asthma|epilepsy|migraines|hay fever|high blood pressure|c(?:o)?eliac)\b)|am on (?=.{1,40}(?:medication|insulin|blood thinners)))(?<value>.{1,120})$`,
  },
  {
    trigger: "relation",
    category: "fact",
    pattern: pattern`^(?<who>${MINE}) ${LIFE}(?<value>.{1,120})$`,
  },
  ...(
    [
      ["birthday|date of birth", "of.birthday", DATED],
      ["wedding anniversary|anniversary", "of.anniversary", DATED],
      ["name day", "of.nameday", DATED],
      [
        "(?:(?:new |direct |private |work |office |mobile |cell |tele)?(?:phone|number|mobile|cell|extension|line)(?: number)?)",
        "of.phone",
        REACHED,
      ],
      ["(?:new |work |private )?e-?mail(?: address)?", "of.email", /^\S+@\S+$/u],
      ["(?:new |home |postal |delivery |shipping |billing )?address", "of.address", /[\d\p{Lu}]/u],
      ["(?:shoe|clothes|dress|shirt|ring|trouser) size", "of.size", /\d|\b[SMLX]{1,3}\b/u],
      [
        "(?:insurance|policy|customer|member(?:ship)?|account|vat|tax|contract|client|supplier|room|licen[cs]e plate|frequent flyer) (?:number|id|no.?)|licen[cs]e plate|iban|tax id",
        undefined,
        /\d/u,
      ],
      ["(?:opening|office|business|working|consultation) hours", "of.hours", /\d/u],
      ["blood type|blood group", "of.blood", /\b(?:A|B|AB|O|0)\b/u],
    ] as const
  ).flatMap(([noun, key, value]): CaptureRule[] => [
    {
      ...lines,
      trigger: "about",
      key,
      value,
      who: SOMEBODY,
      pattern: pattern`^(?=[^']{2,60}'s? (?:${noun}) )(?<who>(?:my|our|the) (?!user|customer|client|class|function|object|server|form|field|person|employee|sender|recipient|record|model|request|response|row|column)[\p{L}][\p{L} -]{0,50}?|${TITLED})'s? (?:${noun}) (?:is|are)(?: now| on| actually| the)? ${KNOWN}(?<value>.{1,120})$`,
    },
  ]),
  ...(
    [
      [
        "(?:insurance|health insurance|social insurance|policy|customer|member(?:ship)?|account|vat|tax|contract|student|employee|frequent flyer|library card) (?:number|id|no.?)(?: (?:at|with|for) .{1,40}?)?|(?:wedding )?anniversary|(?:shoe|dress|shirt|ring|clothes) size|blood type|iban|tax id|licen[cs]e plate(?: number)?|parking (?:spot|space)|locker(?: number)?|room number|extension|office number",
        /\d/u,
      ],
      [
        part`(?:front door|door|gate|garage|alarm|entry|building|access|locker|bike lock|guest|meeting room|copier|printer|conference)(?: \p{L}+)? (?:code|combination)(?: (?:for|of|to|at) .{1,40}?)?|(?:code|combination) (?:for|of|to) (?:the|our) .{1,40}?|wi-?fi (?:network|name|password|code)|guest (?:network|wi-?fi|password|wi-?fi password)|wlan password`,
        /\S{2}/u,
      ],
      [
        "(?:office|shop|store|company|business|school|clinic|billing|support|emergency|hotline|help ?desk) (?:phone |telephone )?(?:number|hotline|address|e-?mail|hours)|phone number|address",
        /\d|@/u,
      ],
      [
        "(?:fiscal year|financial year|tax return|budget(?: for .{1,60}?)?|deadline for .{1,60}?|due date (?:of|for) .{1,60}?)",
        /\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/iu,
      ],
    ] as const
  ).map(
    ([noun, value]): CaptureRule => ({
      ...lines,
      trigger: "about",
      key: "entity",
      value,
      pattern: pattern`^(?:(?:my|our|the) (?:new |current )?(?<topic>${noun})|(?<other>wi-?fi password)) (?:is|are|ends|starts|begins)(?: now| on| actually| called)? ${KNOWN}(?<value>.{1,120})$`,
    }),
  ),
  {
    ...lines,
    trigger: "about",
    value: /\d|\b\p{L}+days?\b|\b(?:every|weekly|daily|monthly)\b/iu,
    key: "entity",
    pattern: pattern`^(?:our|the) (?<topic>(?:[\p{L}-]+ ){0,3}(?:meeting|standup|stand-up|sync|call|retro|retrospective|review|demo|lesson|class|training|practice|rehearsal|jour fixe|all-hands|1:1|one-on-one)) (?:is|takes place|happens)(?: now| always)? (?:on |at |every )?(?=(?:every|each|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekly|daily|monthly|the (?:first|second|last)|alternate)\b)(?<value>.{1,100})$`,
  },
  {
    trigger: "dated",
    category: "fact",
    value: MONTH,
    pattern: pattern`^(?:my|our) (?:[\p{L}'-]+ ){0,3}?(?:flight|train|wedding|honeymoon|holidays?|vacation|trip|exam|surgery|operation|appointment|interview|offsite|retreat|conference|deadline|launch|release|go-live|party|graduation|lease|contract|audit|baby|due date)(?: (?:to|in|with|for|at|from) .{1,40}?)? (?:is|is due|leaves|departs|starts|begins|takes place|ends|expires|runs out|lands|arrives)(?: now)? (?:on|at|in|from|until|the)? ?(?<value>.{2,80})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: SOMEBODY,
    value: /\p{Lu}/u,
    pattern: pattern`^(?=[^']{2,60}'s )(?<who>(?:my|our) [\p{L}][\p{L} -]{0,40}?|${TITLED})'s (?:${ONE}|${MANY}|school|kindergarten|daycare|class teacher|class)(?:'s name)? (?:is|is called) (?:the )?(?<value>(?:mrs?\.? |ms\.? |dr\.? )?\p{L}.{1,60})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: NAMED,
    pattern: pattern`^(?<who>${TITLED}) (?:handles|manages|takes care of|looks after|does) (?:all )?(?:of )?(?:the )?(?=(?:invoices|invoicing|books|bookkeeping|accounting|payroll|orders|ordering|website|newsletter|social media|hiring|recruiting|travel|bookings|deliveries|contracts|calendar|support|garden|taxes|keys|post|mail|cleaning)\b)(?<value>.{2,80})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: NAMED,
    pattern: pattern`^(?<who>${TITLED}) (?:is no longer (?:(?:my|our) |an? (?=(?:client|customer|supplier|partner|member|employee|tenant|contractor)\b))|no longer works? (?:for|with) (?:me|us)|(?:doesn't|does not) works? (?:for|with) (?:me|us) any ?more)(?<value>.{0,60})$`,
  },
  {
    ...lines,
    trigger: "relation",
    pattern: pattern`^(?:my|our) (?:grand)?(?:parents|kids|children|sons|daughters|in-laws|parents-in-law|brothers|sisters) (?:live|work|moved|go to school|study) (?:in|at|near|to|with) (?<value>.{2,80})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: NAMED,
    pattern: pattern`^we(?: now)? (?:order|buy|source|get)(?: (?:all )?(?:our|the) [\p{L} ]{1,30}?)? from (?<who>${TITLED})(?: now| these days)?$`,
  },
  {
    ...lines,
    trigger: "about",
    value: /\p{Lu}|\d/u,
    pattern: pattern`^(?:my (?:car|bike|motorbike|phone|laptop|computer|camera|bank|insurer|gym|doctor|school|university) is (?:an? |the )|I (?:drive|own|ride) an? |our (?:office|shop|store|company|headquarters|studio|school|warehouse|clinic|practice) is (?:now )?(?:located )?(?:at|in|on) )(?!the (?:middle|same|verge|point)\b)(?<value>.{2,80})$`,
  },
  {
    trigger: "being",
    category: "fact",
    lasting: true,
    pattern: pattern`^(?:we're|we are) (?:all |both )?(?<value>(?:vegetarians?|vegans?|lactose[- ]intolerant|open (?=.{0,40}\d)).{0,80})$`,
  },
  {
    // Without a key, because "I'm Sagittarius" must not replace a name.
    trigger: "name",
    category: "entity",
    lasting: true,
    who: NAMED,
    pattern: pattern`^(?:I'm|I am) (?<who>${WORD}(?: ${WORD}){0,2})$`,
  },
  {
    ...lines,
    trigger: "have",
    pattern: pattern`^we have (?<value>(?:an?|two|three|four|five|\d+) (?:\p{L}+ ){0,2}(?:sons?|daughters?|kids?|children|dogs?|cats?|twins|horses?|rabbits?)\b.{0,100})$`,
  },
];
