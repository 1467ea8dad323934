import { type CaptureRule, part, pattern } from "../language-rules.ts";

/** People of whom somebody usually has one at a time, so that the next one replaces the last. */
const ONE = part`(?:frau|mann|ehefrau|ehemann|partner|partnerin|freundin|freund|verlobte|verlobter|mutter|mama|vater|papa|schwiegermutter|schwiegervater|chef|chefin|vorgesetzter?|abteilungsleiter(?:in)?|teamleiter(?:in)?|steuerberater(?:in)?|buchhalter(?:in)?|vermieter(?:in)?|hausarzt|hausärztin|zahnarzt|zahnärztin|kinderarzt|kinderärztin|arzt|ärztin|tierarzt|tierärztin|friseur(?:in)?|anwalt|anwältin|rechtsanwalt|klempner|installateur|elektriker(?:in)?|gärtner(?:in)?|hausmeister(?:in)?|hausverwaltung|putzfrau|tagesmutter|babysitter(?:in)?|lieferant|lieferantin|zulieferer|caterer|druckerei|versicherung|krankenkasse|hausbank|bank|internetanbieter|stromanbieter|assistent(?:in)?|sekretär(?:in)?|geschäftsführer(?:in)?|projektleiter(?:in)?|klavierlehrer(?:in)?|klassenlehrer(?:in)?|therapeut(?:in)?)`;
/** People of whom there may be several. */
const MANY = part`(?:sohn|tochter|kind|baby|bruder|schwester|zwilling|oma|opa|großmutter|großvater|enkel|enkelin|enkelkind|onkel|tante|cousin|cousine|neffe|nichte|patenkind|schwager|schwägerin|mitbewohner(?:in)?|nachbar(?:in)?|kollege|kollegin|praktikant(?:in)?|azubi|kunde|kundin|ansprechpartner(?:in)?|lehrer(?:in)?|trainer(?:in)?|mieter(?:in)?|berater(?:in)?|mitgründer(?:in)?)`;
const PET = part`(?:hund|hündin|katze|kater|pferd|kaninchen|hamster|haustier)`;
const MY = part`(?:mein|meine|meiner|meines|meinem|unser|unsere|unserer|unseres|unserem)`;
const WORD = part`\p{L}[\p{L}\p{M}'.&-]{0,30}`;
const TITLED = part`(?!(?:ich|du|er|sie|es|wir|ihr|das|der|die|den|dem|ein|eine|mein|meine|unser|unsere|und|aber|wenn|falls|was|wie|wer|in|im|am|auf|bei|für|mit|von|zu|nicht|kein|keine|bitte) )(?:(?:herr|frau|dr|prof)\.? )?${WORD}(?: ${WORD}){0,3}?`;
const NAMED =
  /^(?!(?:Ich|Du|Er|Sie|Es|Wir|Ihr|Man|Das|Dies|Diese[rs]?|Der|Die|Ein|Eine|Jeder|Jemand|Niemand|Keiner|Alle|Viele|Manche|Heute|Morgen|Gestern|Hier|Dort|Da|Was|Wer|Wie|Wo|Mein|Meine|Unser|Unsere|Dein|Deine|Sein|Seine|Und|Aber|Nicht|Vielleicht|Leider)(?![\p{L}\p{M}]))\p{Lu}[\p{L}\p{M}'.&-]*(?: (?:(?:von|van|de|der|und|&) ){0,2}\p{Lu}[\p{L}\p{M}'.&-]*)*$/u;
const FIRM = new RegExp(`^(?:die )?[Ff]irma |${NAMED.source}`, "u");
const SOMEBODY = new RegExp(`^(?:[Mm]ein|[Uu]nser|[Dd]e[rs] |[Dd]ie )|${NAMED.source}`, "u");
const MINE = part`${MY} (?:\p{L}+[enr] )?(?:${ONE}|${MANY}|${PET})(?:,? ${WORD},?)?`;
const DATED =
  /\d|\b(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|weihnachten|silvester)\b/iu;
const REACHED = /\d|@/u;
const lines = { category: "fact", lasting: true } as const;
const NOW = part`(?: jetzt| nun| derzeit| inzwischen| mittlerweile| ab sofort)?`;
const FOOD = part`\p{L}{2,30}(?: (?:und|oder) \p{L}{2,30}| \p{L}{2,30}){0,3}`;

/** The German rules for people and things that belong to the speaker. */
export const GERMAN_RELATIONS: readonly CaptureRule[] = [
  {
    trigger: "relation",
    category: "fact",
    pattern: pattern`^(?<who>${MINE}) (?:(?:arbeitet|wohnt|lebt|studiert)${NOW} (?:als |bei |beim |in |im |an |am |auf |für )?|ist (?:von beruf )?(?=(?:\p{L}*(?:lehrer|ingenieur|entwickler|arzt|berater|pfleger|verkäufer|koch|anwalt|architekt|schreiner|mechaniker|physiker|informatiker)(?:in)?|ärztin|krankenschwester|student(?:in)?|rentner(?:in)?|polizist(?:in)?|journalist(?:in)?)\b)|ist (?=\d{1,3}(?: jahre alt)?\b)|(?:wird|wurde) (?=\d{1,3}\b)|ist (?=(?:am|in|im) .{2,60} geboren$)|ist nach (?=.{1,60} gezogen$)|geht (?:in die|in den|aufs|auf das|auf die|ins|zur|in) (?=.{0,40}(?:schule|klasse|kindergarten|kita|gymnasium|uni|universität|krippe))|spielt (?=(?:klavier|geige|gitarre|cello|flöte|schlagzeug|fußball|tennis|handball|volleyball|schach)\b)|ist (?=mit .{1,60} (?:verheiratet|verlobt)$)|spricht (?=\p{L}+(?:isch|sch)\b))(?<value>.{1,100})$`,
    value: /^(?!(?:daran|dran|nicht|gerade|zu viel)\b)/iu,
  },
  ...(
    [
      // "Meine Frau ist Ärztin": every German noun has a capital letter. So after "ist" only a name
      // with a title or a firm's name gets a key and replaces an earlier name.
      [
        ONE,
        "heißt|ist",
        part`(?:herr |frau |dr\.? |die firma |firma )${TITLED}|${TITLED} (?:gmbh|ag|kg|ohg|ug|ltd|inc)`,
        "entity",
      ],
      [ONE, "heißt", TITLED, "entity"],
      [`(?:${ONE}|${MANY}|${PET})`, "heißt|ist", TITLED, undefined],
    ] as const
  ).map(
    ([noun, verb, named, key]): CaptureRule => ({
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      who: FIRM,
      pattern: pattern`^${MY} (?:neue[rs]? )?(?<topic>(?:\p{L}+[er] )?${noun}) (?:${verb})${NOW} (?:die |der )?(?<who>${named})(?: (?:aus|von|bei|in) .{1,60})?$`,
    }),
  ),
  ...(
    [
      [ONE, "entity"],
      [`(?:${MANY}|${PET})`, undefined],
    ] as const
  ).map(
    ([noun, key]): CaptureRule => ({
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      who: NAMED,
      pattern: pattern`^(?<who>${TITLED}) ist${NOW} ${MY} (?:neue[rs]? )?(?<topic>${noun})(?: (?:bei|für|in|und) .{1,60})?$`,
    }),
  ),
  {
    trigger: "relation",
    category: "entity",
    lasting: true,
    who: /^\p{Lu}.* und \p{Lu}/u,
    pattern: pattern`^(?:meine|unsere) (?:zwei |drei |beiden )?(?:kinder|söhne|töchter|zwillinge|brüder|schwestern|hunde|katzen|eltern|enkel) (?:heißen|sind) (?<who>${WORD}(?:, ${WORD}){0,4},? und ${WORD})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: NAMED,
    pattern: pattern`^(?<who>${TITLED}) (?:macht|führt|betreut|verwaltet|liefert(?: uns)?|putzt|repariert|prüft|druckt) (?:uns )?(?:mein|meine|unser|unsere|unseren) (?!tag\b|leben\b|bestes\b)(?<value>.{1,100})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) ist${NOW} (?:zuständig|verantwortlich|(?:der |die )?ansprechpartner(?:in)?) für (?<value>.{1,100})$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) (?:ist|reagiert)(?: auch| sehr| stark| schwer| nicht mehr| nicht)? (?:allergisch (?:gegen|auf) (?<value>.{1,100})|(?:gegen|auf) (?<other>.{1,60}) allergisch)$`,
  },
  {
    trigger: "health",
    category: "fact",
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) (?:(?:verträgt|isst|trinkt)(?: leider| überhaupt| gar)? (?:kein|keine|keinen|nur) (?=${FOOD})|(?:darf|kann|soll) (?:leider )?(?:kein|keine|keinen) (?=.{1,80} (?:essen|trinken|vertragen|nehmen)$)|hat (?:eine |einen )?(?:schwere )?(?=\p{L}*(?:allergie|unverträglichkeit|intoleranz|asthma|diabetes|zöliakie|epilepsie|adhs|migräne|bluthochdruck)\b)|ist (?:auch )?(?=(?:vegetarier(?:in)?|vegetarisch|veganer(?:in)?|vegan|diabetiker(?:in)?|laktoseintolerant|glutenintolerant|farbenblind|linkshänder(?:in)?|schwanger|gehörlos)\b)|nimmt (?=.{1,60}(?:\d+ ?mg|täglich|jeden (?:tag|morgen|abend)))|muss (?=.{1,60}(?:täglich|jeden (?:tag|morgen|abend)).{0,40} (?:ein)?nehmen$))(?<value>.{1,100})$`,
  },
  {
    trigger: "health",
    category: "fact",
    pattern: pattern`^(?:ich|wir) (?:(?:vertrage|vertragen) (?:leider )?(?:kein|keine|keinen) |darf (?:kein|keine|keinen) (?=.{1,60} (?:essen|trinken)$)|nehme (?=.{1,60}(?:\d+ ?mg|täglich|jeden (?:tag|morgen|abend)))|habe (?=(?:diabetes|asthma|zöliakie|epilepsie|bluthochdruck|heuschnupfen)\b))(?<value>.{1,100})$`,
  },
  {
    ...lines,
    trigger: "about",
    key: "of.birthday",
    value: DATED,
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) hat (?<value>am .{2,40}) geburtstag$`,
  },
  ...(
    [
      ["geburtstag|geburtsdatum", "of.birthday", DATED],
      ["hochzeitstag|namenstag", "of.anniversary", DATED],
      [
        "(?:neue |direkte |private )?(?:telefon|handy|mobil|durchwahl|büro)?nummer|durchwahl|handy",
        "of.phone",
        REACHED,
      ],
      ["e-?mail(?:-?adresse)?|mailadresse", "of.email", REACHED],
      ["(?:neue )?(?:adresse|anschrift)", "of.address", /\d/u],
      ["(?:schuh|kleider|konfektions)größe", "of.size", /\d|\b[SMLX]{1,3}\b/u],
      ["(?:kunden|versicherungs|vertrags|mitglieds|steuer|konto)nummer|iban|kennzeichen", undefined, /\d/u],
      ["öffnungszeiten|sprechzeiten|bürozeiten", "of.hours", /\d/u],
    ] as const
  ).flatMap(([noun, key, value]): CaptureRule[] => [
    {
      ...lines,
      trigger: "about",
      key,
      value,
      pattern: pattern`^(?:der|die|das) (?:${noun}) (?:vom |von (?:der |dem )?)?(?<who>(?:meine[rsm]?|unsere[rsm]?|des|der) \p{L}[\p{L} -]{1,40}?|(?:herrn |frau )?${WORD}(?: ${WORD})?) (?:ist|sind|lautet|lauten)${NOW}(?: am| der)? (?!nicht\b|falsch\b)(?<value>.{1,100})$`,
      who: /./u,
    },
    {
      ...lines,
      trigger: "about",
      key,
      value,
      who: /^\p{Lu}[\p{L}\p{M}-]+[sxz]'?$/u,
      pattern: pattern`^(?<who>${TITLED}) (?:${noun}) (?:ist|sind|lautet|lauten)${NOW}(?: am| der)? (?!nicht\b|falsch\b)(?<value>.{1,100})$`,
    },
  ]),
  {
    ...lines,
    trigger: "about",
    key: "entity",
    value: /\S{2}/u,
    pattern: pattern`^(?:der|das|unser|mein) (?:neue[rs]? )?(?<topic>(?:tür|tor|haustür|garagen|alarm|eingangs|zugangs|schließfach|gäste|spind)-?(?:code|pin)|(?:gäste-?)?w-?lan(?:-?(?:code|passwort|schlüssel|kennwort|name))?|wi-?fi-?(?:passwort|name)) (?:ist|lautet|heißt)${NOW} (?!nicht\b|falsch\b|kaputt\b|langsam\b|weg\b|zu\b|sehr\b|schlecht\b|wieder\b)(?<value>.{2,80})$`,
  },
  {
    ...lines,
    trigger: "about",
    key: "entity",
    value: /\d/u,
    pattern: pattern`^(?:der|die|das|meine?|unsere?) (?:neue[rs]? )?(?<topic>(?:kunden|versicherungs|krankenversicherungs|sozialversicherungs|vertrags|mitglieds|steuer|konto|personal|matrikel|ust-id-|kundendienst-)nummer|ust-id|iban|kennzeichen|parkplatz|zimmernummer|durchwahl|notrufnummer|büronummer|büroadresse|lieferadresse|rechnungsadresse|adresse|anschrift)(?: (?:vom|von|für|bei) .{1,40}?)? (?:ist|lautet)${NOW} (?!nicht\b|falsch\b)(?<value>.{1,100})$`,
  },
  {
    ...lines,
    trigger: "have",
    pattern: pattern`^(?:ich habe|wir haben) (?<value>(?:eine?n?|zwei|drei|vier|fünf|\d+) (?:\p{L}+ )?(?:sohn|söhne|tochter|töchter|kind|kinder|hund|hunde|katze|katzen|zwillinge|geschwister|bruder|brüder|schwester|schwestern)\b.{0,80})$`,
  },
];
