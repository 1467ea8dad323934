import { type CaptureRule, part, pattern } from "../language-rules.ts";

const PERSON = part`(?<value>(?!nicht\b|auf\b|in\b|der\b|die\b|das\b|ein\b|eine\b|für\b|so\b|morgen\b|später\b|zurück\b|an\b|mich\b|euch\b|sie\b)[\p{L}\uE000][\p{L}\p{M}'\uE000-]*(?: (?!und\b|aber\b|oder\b|aus\b|von hier\b|bitte\b|ab\b|denn\b|jetzt\b)[\p{L}\uE000][\p{L}\p{M}.'\uE000-]*){0,3})`;
/** People and animals of whom there may be several. A second one does not contradict the first. */
const SEVERAL = part`(?:sohn|tochter|kind|baby|bruder|schwester|hund|hündin|katze|kater|haustier|pferd|kollege|kollegin|band)`;
const RELATION = part`(?:frau|mann|partner|partnerin|freund|freundin|verlobte|verlobter|mutter|vater|chef|chefin|arzt|ärztin|zahnarzt|vermieter|firma|startup|team|projekt|produkt|app|server|auto|boot)`;
const NOW = part`(?: jetzt| nun| derzeit| aktuell| inzwischen| mittlerweile| momentan| seit \p{L}+(?: \p{L}+)?| immer noch| noch immer| gerade)?`;
const REALLY = part`(?: wirklich| sehr| total| gar| überhaupt| eigentlich| am liebsten| generell| grundsätzlich| meistens| lieber| besonders| gerne| gern| auch| jetzt| persönlich){0,3}`;
const STANDING = part`(?:ab jetzt|ab sofort|von nun an|von jetzt an|künftig|in zukunft|zukünftig|fortan|standardmäßig)`;
const THING = part`(?<value>.{1,120}?)`;
const SCOPE = part`(?: (?:in|im|für|bei|beim|mit|auf|wenn|während) (?<scope>.{1,120}))?`;
const USE = part`(?:verwende|verwenden|verwendest|benutze|benutzen|benutzt|benutz|nutze|nutzen|nutz|nimm|nehmen|setze|gebrauche)`;
const DO = part`(?:schreib|schreibe|antworte|füge|füg|installiere|committe|commite|pushe|deploye|formatiere|nenne|nenn|starte|beginne|ende|sag|sage|erkläre|erklär|wiederhole|lösche|lösch|ändere|ändre|erstelle|erzeuge|übersetze|merge|logge|importiere|empfiehl|schlag|schlage|teile|erwähne|zeig|zeige|mach|mache|stell|stelle|rufe|ruf|schicke|schick|sende|buche|plane|frag|frage|sprich|rede|rechne|runde)`;

/** The rules of German, the more specific first. */
export const GERMAN_RULES: readonly CaptureRule[] = [
  {
    trigger: "name",
    category: "entity",
    key: "user.name",
    cut: true,
    pattern: pattern`^(?:mein (?:voller |richtiger )?name (?:ist|lautet)|ich heiße|heiße ich|ich hei(?:ss)e|ich werde|nenn(?:e)? mich(?: bitte)?(?: ${STANDING})?|nennen sie mich|du kannst mich|du darfst mich|alle nennen mich|man nennt mich)(?: jetzt)? ${PERSON}(?: nennen| genannt)?`,
    value: /^["„“\p{Lu}]/u,
  },
  {
    trigger: "named",
    category: "entity",
    lasting: true,
    pattern: pattern`^(?:mein|meine|unser|unsere) (?<topic>${SEVERAL}) heißt (?<value>.{1,80})$`,
  },
  {
    trigger: "named",
    category: "entity",
    key: "entity",
    lasting: true,
    pattern: pattern`^(?:mein|meine|unser|unsere) (?<topic>${RELATION}) heißt (?<value>.{1,80})$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^(?:ich (?:wohne|lebe)|(?:wohne|lebe) ich|wir wohnen|wir leben|wohnen wir)${NOW}(?: mit \p{L}+ \p{L}+)? (?:in|im|bei|nahe|auf|am) ${THING}$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^(?:ich bin|bin ich|wir sind|sind wir)${NOW}(?: vor kurzem| kürzlich| letzte[sn] \p{L}+)? (?:nach|in die|in den|ins) ${THING} (?:um)?gezogen$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^(?:mein wohnort ist|ich wohne nicht mehr in .{1,60}, sondern in) ${THING}$`,
  },
  {
    trigger: "origin",
    category: "fact",
    key: "user.origin",
    lasting: true,
    pattern: pattern`^(?:ich (?:komme|stamme)(?: ursprünglich)? aus|ich bin in|ich bin geboren in) ${THING}(?: geboren| aufgewachsen)?$`,
    value: /^\p{Lu}/u,
  },
  {
    trigger: "employer",
    category: "fact",
    key: "user.employer",
    lasting: true,
    pattern: pattern`^(?:ich (?:arbeite|bin)|arbeite ich)${NOW} (?:bei|für|beim|in einem|in einer|an der|am) ${THING}(?: angestellt| beschäftigt)?$`,
  },
  {
    trigger: "job",
    category: "fact",
    key: "user.job",
    lasting: true,
    pattern: pattern`^(?:ich arbeite${NOW} als|arbeite ich${NOW} als|mein beruf ist|von beruf bin ich|ich bin von beruf) ${THING}$`,
  },
  {
    trigger: "being",
    category: "fact",
    lasting: true,
    pattern: pattern`^ich bin${NOW}(?: eine?)? (?<value>(?:vegetarier(?:in)?|veganer(?:in)?|vegan|vegetarisch|farbenblind|linkshänder(?:in)?|rechtshänder(?:in)?|diabetiker(?:in)?|laktoseintolerant|verheiratet|geschieden|schwanger|\d{1,3} jahre alt|\p{L}+(?:entwickler|ingenieur|lehrer|berater|arzt|forscher)(?:in)?|lehrer(?:in)?|arzt|ärztin|student(?:in)?|ingenieur(?:in)?|entwickler(?:in)?|rentner(?:in)?)\b.{0,80})$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^(?:ich bin|ich reagiere)(?: stark| sehr| schwer)? allergisch (?:gegen|auf) ${THING}$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^ich habe eine ${THING}(?:-?allergie|unverträglichkeit)$`,
  },
  ...(
    [
      ["geburtstag|geburtsdatum", "user.birthday"],
      ["zeitzone", "user.timezone"],
      ["e-?mail|e-?mail-?adresse|mailadresse", "user.email"],
      ["telefonnummer|handynummer|nummer", "user.phone"],
      ["adresse|anschrift", "user.address"],
      ["muttersprache", "user.language"],
      ["arbeitgeber|firma", "user.employer"],
      ["pronomen", "user.pronouns"],
    ] as const
  ).map(
    ([noun, key]): CaptureRule => ({
      trigger: "about",
      category: "fact",
      key,
      lasting: true,
      pattern: pattern`^meine? (?:neue )?(?:${noun}) (?:ist|sind|lautet)${NOW} (?!nicht\b|falsch\b|kaputt\b)${THING}$`,
    }),
  ),
  {
    trigger: "about",
    category: "fact",
    key: "user.birthday",
    lasting: true,
    pattern: pattern`^(?:ich habe|mein geburtstag ist) am ${THING}(?: geburtstag)$`,
  },
  {
    trigger: "favourite",
    category: "preference",
    key: "favourite",
    pattern: pattern`^(?:mein|meine|unser|unsere) (?:liebste[rsn]? |bevorzugte[rsn]? )?(?<topic>lieblings\p{L}+) (?:ist|sind)${NOW} ${THING}$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:(?:ich|wir) (?:bevorzuge|bevorzugen|ziehe|ziehen|mag|mögen|trinke|esse|nutze|nutzen|verwende|verwenden|arbeite|schreibe)|(?:bevorzuge|ziehe|mag) ich)${REALLY} ${THING} (?:gegenüber|statt|anstatt|anstelle von|lieber als|mehr als|vor|als) (?<other>.{1,100}?)(?: (?:für|bei|beim) (?<topic>.{1,100}))?(?: vor)?$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:(?:ich|wir) (?:bevorzuge|bevorzugen|präferiere|favorisiere)|(?:bevorzuge|bevorzugen) (?:ich|wir))(?! (?:kein|keine|keinen|nichts|nicht)\b)${REALLY} ${THING}(?: für (?<topic>.{1,100})|(?: (?:in|im|bei|beim|auf|mit|wenn) (?<scope>.{1,100})))?$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "like",
    pattern: pattern`^(?:ich (?:hätte|habe|möchte|will|mag|trinke|esse|arbeite|lese|schreibe|nutze|nehme|fahre|reise)${REALLY.replace("{0,3}", "{1,3}")}|mir ist|mir wäre) (?!lieber$)${THING}(?: lieber)?$`,
    value: /^(?!(?:wissen|sehen|hören|fragen|dass|das|es)\b)/iu,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^(?:ich (?:mag|liebe|hasse|verabscheue|schätze)|(?:mag|hasse|liebe) ich)(?! es$| das$)${REALLY}(?: keine| keinen| kein)? ${THING}$`,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^mir (?:gefällt|gefallen|gefällt|schmeckt|schmecken)${REALLY} ${THING}$`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "use",
    pattern: pattern`^(?:ich|wir) ${USE}(?: immer| nie| niemals| meistens| grundsätzlich| ausschließlich| nur| normalerweise| kein| keine| keinen) ${THING}${SCOPE}$`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "do",
    pattern: pattern`^(?:ich|wir) (?:esse|trinke|rauche|arbeite|deploye|deployen|fliege|fahre) (?<value>(?:nie|niemals|immer|kein|keine|keinen|nicht) .{1,120})$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:wir haben|haben wir|ich habe|das team hat)(?: uns| mich| sich)?(?: nun| jetzt| gemeinsam| doch| am ende| schließlich)? (?:für|auf) ${THING}(?: (?:als|für|bei) (?:den |die |das |unser |unsere |unseren )?(?<topic>.{1,80}?))? (?:entschieden|geeinigt|festgelegt|verständigt)$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:wir haben|ich habe)(?: uns| mich)?(?: nun| jetzt)? (?:entschieden|beschlossen|vereinbart|festgelegt|geeinigt)(?:, dass wir|, | )?(?: ?(?:für|als) (?<topic>.{1,80}?))? ?${THING}(?: (?:zu verwenden|zu nutzen|einzusetzen|zu nehmen|verwenden|nutzen|einsetzen))?$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:wir (?:nehmen|setzen|wechseln|steigen|bleiben)|lass uns|lasst uns)(?: ab jetzt| künftig| doch)?(?: auf| bei| zu| für| mit)? ${THING}(?: (?:als|für) (?<topic>.{1,80}?))?(?: nehmen| setzen| verwenden| bleiben| um)?$`,
    value: /^\p{Lu}[\p{L}\p{N}.-]+$/u,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "project",
    pattern: pattern`^(?:unser|unsere) (?<topic>[\p{L}\p{N}][\p{L}\p{N} ./-]{0,60}? (?:läuft auf|läuft mit|läuft bei|verwendet|nutzt|benutzt|ist in|basiert auf|liegt auf|liegt in|steht in)) ${THING}$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "decision",
    pattern: pattern`^wir (?:verwenden|nutzen|benutzen) (?<value>(?!den |die |das |ein |eine |einen |diese)[^ ].{0,80}?) (?:für|als) (?<topic>.{1,100})$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING} )?${USE}(?: bitte| sie)?(?: ${STANDING}| immer| künftig| nur)? ${THING} (?:statt|anstatt|anstelle von|und nicht) (?<other>.{1,80}?)$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING} )?(?:bitte )?${USE}(?: bitte| sie){0,2} (?:immer|nie wieder|nie mehr|nie|niemals|nur noch|nur|ausschließlich|keinesfalls|auf keinen fall|nicht mehr|nicht|keine|keinen|kein|stets|${STANDING})(?: mehr| wieder| nur| noch| immer| den| die| das){0,2} ${THING}${SCOPE}(?: mehr)?$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING} )?(?:immer|nie|niemals|nur noch|keine|keinen|kein|stets) ${THING}${SCOPE} (?:verwenden|benutzen|nutzen|nehmen|einsetzen)$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^${USE}(?: bitte)? ${THING} (?:nicht mehr|nie wieder|nie|niemals|nicht|immer)${SCOPE}$`,
  },
  {
    trigger: "avoid",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:bitte )?(?:vermeide|vermeiden sie|verzichte auf|hör auf mit) (?:bitte )?${THING}${SCOPE}$`,
  },
  {
    trigger: "always",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^(?:${STANDING} )?(?:bitte )?(?<value>(?:${DO})(?: mir| bitte| sie| dich){0,2} (?:(?:[\p{L}\p{N}-]+ ){0,4})(?:immer|nie|niemals|nie wieder|stets|grundsätzlich|${STANDING}|nicht mehr)\b.{0,120})$`,
  },
  {
    trigger: "always",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^(?:bitte )?(?:immer|nie|niemals|du sollst (?:immer|nie|niemals)|du darfst nie) (?<value>[\p{L}\p{N}].{2,120}(?:en|ern|eln))$`,
  },
  {
    trigger: "from now on",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^${STANDING} (?:bitte )?(?!ich\b|er\b|sie\b|es\b|der\b|die\b|das\b)(?<value>\p{L}+ .{1,120})$`,
  },
];
