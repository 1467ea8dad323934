/** Whether a question is about what comes, about what was, or may be about both. */
export type Tense = "future" | "past" | "open";

interface Signs {
  readonly future: RegExp;
  readonly past: RegExp;
}

/**
 * The words of a language, folded, that say that a question is about plans or about the past. Only
 * usual words are needed: a question without any of them may be about both.
 */
const SIGNS: Readonly<Record<string, Signs>> = {
  en: {
    future: words(
      "will|won't|shall|\\p{L}+'ll|gonna|going to|upcoming|coming|next|tomorrow|planned|plans?|scheduled|schedule|due|agenda",
      "appointments?|do(?:es)? \\p{L}+ (?:\\p{L}+ )?have|have (?:i|we|you|they) got|happening",
      "this (?:mon|tues|wednes|thurs|fri|satur|sun)day",
    ),
    past: words(
      "did|didn't|was|were|had|last|ago|yesterday|since|past|went|said|told|came|made|saw|met|bought|wrote|gave|took",
      "fell|broke|died|ate|ran|lost|found|left|sold|drove|flew|paid|sent|slept|spoke|won|caught|brought|taught|thought|felt|kept|held|heard|stole|sang|swam|threw|woke|wore|built|spent|forgot|began|drank|rode|rang|hid|grew|knew|drew|shook|sank|fought|sought",
      "(?<!have (?:i|we|you|they) )got",
      // "Who is invited?" asks about what comes, and Alfred is no verb.
      "(?<!(?:is|are) (?:\\p{L}+ ){0,3})(?!(?:planned|scheduled|expected|supposed|booked|ahmed|alfred|jared|manfred|mohammed|wilfred|winifred)(?!\\p{L}))\\p{L}{2,}[^e\\P{L}]ed",
    ),
  },
  de: {
    future: words(
      "werde|wird|werden|wirst|werdet|nachste[nrsm]?|kommende[nrsm]?|morgen|geplant|plane?|vorhaben|termine?|steht|stehen|agenda",
    ),
    past: words(
      "war|waren|warst|hatten?|hattest|wurden?|gestern|letzte[nrsm]?|vergangene[nrsm]?|seit|gab|kam|sagte|ging|machte",
      "ge(?!(?:plant|schieht|lten)(?!\\p{L}))\\p{L}{2,}(?:t|en)|(?!passiert)\\p{L}{3,}iert|ist .{0,60}passiert|besprochen|bekommen",
    ),
  },
  fr: {
    future: words(
      "sera|seront|aura|aurai|aurons|auront|vais|va|allons|vont|prochaine?s?|demain|rendez.vous|rdv|prevue?s?|planifiee?s?|agenda",
    ),
    past: words(
      "etait|etaient|avait|avions|avaient|derni(?:er|ere)s?|hier|passee?|depuis|(?:ai|as|a|avons|avez|ont|est) (?:fait|dit|arrive|vu)|ete|avons.nous (?!une? |des )\\p{L}+",
    ),
  },
  es: {
    future: words(
      "sera|seran|habra|tendre|tendra|hare|voy|vamos|va a|van a|proxim[oa]s?|manana|citas?|previst[oa]s?|planead[oa]s?|tengo|tenemos|agenda",
    ),
    past: words(
      "fue|fueron|fui|era|eran|habia|estaba|paso|pasad[oa]s?|ultim[oa]s?|ayer|desde|hice|hizo|hicimos|dijo|dije|dijimos|tuve|tuvo|tenia|he|ha(?! de )|hemos|han",
    ),
  },
  it: {
    future: words(
      "sara|saranno|avro|avra|faro|fara|prossim[oaie]|domani|appuntament[oi]|previst[oaie]|programmat[oaie]|agenda|ho un[a']?|abbiamo un[a']?",
    ),
    past: words(
      "era|erano|aveva|scors[oaie]|ieri|fatto|detto|success[oa]|accadut[oa]|stat[oaie]|andat[oaie]|abbiamo (?!un)\\p{L}+",
    ),
  },
  pt: {
    future: words(
      "sera|serao|havera|terei|tera|vou|vai|vamos|proxim[oa]s?|amanha|consultas?|compromissos?|marcad[oa]s?|previst[oa]s?|tenho|temos|agenda",
    ),
    past: words(
      "foi|foram|fui|era|eram|estava|havia|passad[oa]s?|ultim[oa]s?|ontem|desde|fiz|fez|fizemos|disse|aconteceu|tive|teve|tinha",
    ),
  },
  nl: {
    future: words("zal|zullen|zult|gaat|gaan|volgende|komende?|morgen|afspra(?:ak|ken)|gepland|agenda"),
    past: words(
      "was|waren|had|hadden|ging|werd|zei|deed|deden|kwam|vorige|afgelopen|gisteren|sinds|ge(?!pland|beurt)\\p{L}{2,}(?:d|t|en)",
    ),
  },
  sv: {
    future: words(
      "ska|skall|kommer|nasta|kommande|imorgon|i morgon|planera[dt]|planerade|moten?|mote[nt]|bokad|bokat|blir",
    ),
    past: words(
      "var(?! (?:ar|ska|finns|bor))|hade|forra|senaste|igar|i gar|sedan|hande|hant|gjorde|gjort|sa|sade|sagt|kom|blev",
    ),
  },
  da: {
    future: words("skal|vil|kommer|naeste|næste|kommende|i morgen|planlagt|aftaler?|mødet?|bliver"),
    past: words("var|havde|sidste|forrige|i gar|siden|skete|sket|lavede|gjorde|sagde|sagt|kom|blev"),
  },
  nb: {
    future: words("skal|vil|kommer|neste|kommende|i morgen|planlagt|avtaler?|møtet?|møter|blir"),
    past: words("var|hadde|sist|forrige|i gar|siden|skjedde|skjedd|gjorde|gjort|sa|sagt|kom|ble"),
  },
  pl: {
    future: words(
      "bedzie|beda|bede|bedziemy|mam|mamy|spotkani\\p{L}+|wizyt\\p{L}+|przyszł\\p{L}+|nastepn\\p{L}+|jutro|zaplanowan\\p{L}+",
    ),
    past: words("był\\p{L}*|zeszł\\p{L}+|ubiegł\\p{L}+|wczoraj|od|\\p{L}{2,}(?:łem|łam|lismy|łysmy|ło|(?<!szko|si)ła)"),
  },
  ru: {
    future: words("будет|будут|буду|будем|следующ\\p{L}+|завтра|встреч\\p{L}+|запланирован\\p{L}*|планы?|предстоит"),
    past: words("был[аои]?|прошл\\p{L}+|вчера|\\p{L}{3,}(?:ал|ала|али|ил|ила|или|ел|ела|ели|лось|лся|лась|шло)"),
  },
  ja: { future: /予定|来週|来月|明日|今度|次の|約束|でしょう|だろう/u, past: /した|だった|でした|先週|先月|昨日/u },
  zh: { future: /将|会|要|明天|下周|下个|下星期|预约|安排|计划|打算/u, past: /了|过|昨天|上周|上个|上星期/u },
};

/** Makes a pattern of whole words. */
function words(...alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}])(?:${alternatives.join("|")})(?![\\p{L}\\p{M}])`, "u");
}

/**
 * Returns the tense of a question in a language. A weekday is the next one in a question about plans,
 * and the last one in a question about the past.
 *
 * @param text folded
 */
export function tenseOf(text: string, language: string): Tense {
  const signs = SIGNS[language === "zh-Hant" ? "zh" : language];
  if (!signs) return "open";
  const [future, past] = [signs.future.test(text), signs.past.test(text)];
  return future === past ? "open" : future ? "future" : "past";
}
