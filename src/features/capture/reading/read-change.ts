import { HYPOTHETICAL, QUESTION, REPORTED, WHEN } from "./english.ts";
import type { FactCandidate } from "./fact-candidate.ts";
import { part, patternOf } from "./pattern.ts";
import { withoutLeadIns, withoutTail } from "./read-sentence.ts";
import type { Sentence } from "./sentences.ts";
import { stemsOf } from "./stems.ts";
import { kindsOf } from "./value-kinds.ts";

/**
 * A sentence that reports a change of a thing, and that no rule reads: "The dentist moved it to December 10",
 * "Rex died last month". It becomes a fact only if one known fact is about the thing.
 */
export interface Change extends Pick<FactCandidate, "text" | "subject" | "messageIndex" | "range"> {
  /**
   * `value`: the thing has a new value. `amount`: something that the sentence calls "it" has another amount.
   * `contact`: the speaker gives an address of e-mail or a number to use. `end`: the thing is over. `habit`: the speaker has stopped
   * doing something. `again`: the speaker does again what a fact denies.
   */
  readonly how: "value" | "amount" | "contact" | "end" | "habit" | "again";
  /** The words of the thing that changed. The last word names the thing itself. Empty for an amount or a contact. */
  readonly thing: readonly string[];
  /** The words of a person who made the change, if the sentence begins with a name; else none. */
  readonly who: readonly string[];
  /** The words behind "of", "for" or "with" that say which thing is meant; often none. */
  readonly about: readonly string[];
  /** Whether the verb says where somebody lives now: "Ngozi moved to Abuja". */
  readonly isMove: boolean;
  /** Whether the verb says that something else took the place of the thing: "I traded the Golf for a Tesla". */
  readonly isSwap: boolean;
  /** Whether the verb means a replacement, so that a plain word may be the new value: "changed to green". */
  readonly mayReplaceWord: boolean;
  /** Whether the verb says that a name is replaced, as "changed" does and "updated" does not. */
  readonly mayReplaceName: boolean;
  /** The words of the value before, if the sentence gives it. */
  readonly old: readonly string[];
  /** Whether the sentence says "it", or names only a part of the thing: "the dentist" for the appointment. */
  readonly isIt: boolean;
  /** The new value; for a habit, the verb without its "ing"; else empty. */
  readonly value: string;
}

const WORD = part`[\p{L}\p{N}\uE000][\p{L}\p{M}\p{N}'&.-]{0,30}`;
const DET = part`(?:the|my|our|this|that|a|an)`;
const NP = part`(?:${DET} )?(?<thing>${WORD}(?: ${WORD}){0,4}?)(?: (?:to|in|at|for|with|about|of|on) (?:${DET} )?(?<about>${WORD}(?: ${WORD}){0,2}?))?`;
/** A thing with its article: "went to" behind a name is a journey. */
const OWNED = NP.replace(`(?:${DET} )?`, `${DET} `);
const ADVERB = part`(?: (?:now|just|also|finally|recently|already|unfortunately|luckily|sadly|actually|since|then))?`;
const AUX = part`(?:'s|'ve|'re)?(?: (?:has|have|is|are|was|were))?${ADVERB}(?: (?:been|got|gotten))?${ADVERB}`;
/** Verbs of a change to a new value. */
const CHANGED = part`(?<verb>changed|moved|shifted|slipped|slid|rebooked|re-?scheduled|postponed|pushed|delayed|switched|cut|raised|increased|lowered|reduced|upped|bumped|doubled|extended|shortened|updated|renamed|replaced|swapped|traded(?: in)?|upgraded|downgraded|transferred|exchanged|reset|brought|put|set)`;
const WAY = part`(?: (?:up|down|back|forward|over|out|again|in|yesterday|today))*`;
const TO = part`(?: from (?<old>.{1,60}?))? (?:to|until|till|by|into|with|for)(?: be)?`;
const OVER = part`(?:died|retired|passed away|fell through|ended|expired|dead|cancell?ed|called off|closed down|shut down|stolen|demolished|scrapped|sold|ran away|resigned|stepped down|fired|let go|laid off|left (?:the (?:company|team|firm|project|band|club|school)|us))`;
const ENDS = part`(?:sold|outgrew|outgrown|got over|gotten over|cancell?ed|called off|gave up(?: on)?|given up(?: on)?|quit|deleted|ended|got rid of|gotten rid of|traded in|gave away|given away|unsubscribed from|scrapped)`;
/** Verbs of habits that people take up again. "Avoiding" and "hating" take no denial back. */
const DOING = part`(?:eat|drink|smok|tak|us|driv|play|wear|read|watch|go|do|hav)(?:e|es|ing)?(?: to)?`;
/** An address of e-mail or a number of a phone. */
const CONTACT = part`[^\s@]{1,60}@[^\s@]{1,60}|[+(]?\d[\d ()/-]{4,20}\d`;
/** Words of a value that a sentence goes on with. */
const REST = part`(?:,.*| (?:and|but|because|since|due to|after|so|this|last|in|on) .*)?`;

/** The words that may follow a habit that ends. "I stopped reading in the middle of chapter 3" ends no habit. */
const FOR_GOOD = part`(?:,? (?:because|since|due to|altogether|completely|entirely|for good|(?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter))(?: .*)?)?`;

/** The forms of a change. The groups: `thing` (or `off`), `value`, and `it`, which stands for the thing. */
const FORMS: readonly (readonly [Change["how"], RegExp])[] = part`
  amount :: (?:I|we|they|he|she|${DET} ${WORD}|${WORD})${AUX} ${CHANGED} (?:it|that|this)${WAY} to (?<value>\d.{0,60})
  value :: ${NP}${AUX} ${CHANGED}(?<it> (?:it|them|this|that))?${WAY},?${TO} (?<value>.{1,100})
  value :: ${OWNED}${AUX} (?<verb>went|goes|gone|rose|fell|dropped|grew)${WAY},?${TO} (?<value>.{1,100})
  value :: ${NP}${AUX} (?:turned|turns|is turning) (?<value>\d.{0,60})
  value :: (?:I|we|they|he|she|${DET} ${WORD}|(?<who>${WORD}))${AUX} ${CHANGED}${WAY} ${NP}${WAY},?${TO} (?<value>.{1,100})
  value :: (?:(?:I|we)(?:'ve| have)?(?: just| finally)?(?: got| gotten| bought| have)? (?:an? )?|(?:here(?:'s| is) )?(?:my |our )?)new (?<thing>${WORD}(?: ${WORD}){0,3}?)(?:,? (?:and )?it(?:'s| is)|,|:| -| is(?: now)?) (?<value>.{1,100})
  contact :: (?:please )?(?:use|write to|mail me at|reach me (?:at|on)|call me (?:at|on)|text me (?:at|on)|contact me (?:at|on)) (?<value>${CONTACT}) (?:from now on|from today|now|instead)
  end :: ${NP}${AUX} ${OVER}${REST}
  end :: ${NP}${AUX} (?:took|taken) (?:me|us) off (?:${DET} )?(?<off>${WORD})${REST}
  end :: (?:I|we)${AUX} (?:gave|given) (?:${DET} )?(?<thing>${WORD}(?: ${WORD}){0,3}?) away${REST}
  habit :: (?:I|we)${AUX} (?:stopped|quit|gave up|given up) (?<value>\p{L}+)ing${FOR_GOOD}
  end :: (?:I|we)${AUX} (?:stopped|quit|gave up|given up) \p{L}+ing (?:${DET} )?(?<thing>${WORD}(?: ${WORD}){0,3}?)${REST}
  end :: (?<thing>${WORD})${AUX} quit(?: (?:his|her|their|the) job)?${REST}
  end :: (?:I|we)${AUX} had to put (?:${DET} )?(?<thing>${WORD}(?: ${WORD}){0,2}?) (?:down|to sleep)${REST}
  end :: (?:(?:my|our) )?(?<who>${WORD})${AUX} (?:quit|gave up|outgrew|outgrown|got over|stopped \p{L}+ing) (?:(?:${DET}|his|her|their) )?(?<thing>${WORD}(?: ${WORD}){0,2}?)${REST}
  end :: (?:I|we)${AUX} ${ENDS} (?:${DET} )?(?<thing>${WORD}(?: ${WORD}){0,3}?)${REST}
  again :: (?:I|we)${AUX}(?: (?:started|begun|began|resumed|back to|can))?(?: to)? ${DOING} (?<thing>${WORD}(?: ${WORD}){0,3}?) again${REST}
  again :: (?:I|we)${AUX} (?:started|begun|began|resumed|taken up|took up)(?: to)? ${DOING} (?<thing>${WORD}(?: ${WORD}){0,3}?)
`
  .trim()
  .split("\n")
  .map((line) => {
    const [how = "", source = ""] = line.trim().split(" :: ");
    return [how as Change["how"], patternOf(`^${source}$`)] as const;
  });

/** Matches a quick sign of a change, before the forms are tried. */
const HINT = patternOf(
  String.raw`\b(?:${CHANGED.replace("?<verb>", "?:")}|gave|given|stopped|took|taken|${OVER}|${ENDS}|went|goes|gone|rose|fell|grew|turn(?:ed|s|ing)|new|from (?:now on|today)|now|instead|again|started|begun|began|resumed|taken up|took up)\b`,
);
/** Matches words that make a change doubtful, or deny it. */
const DOUBTFUL = patternOf(
  String.raw`['’]ll\b|\b(?:(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|could|should)n['’]t|not|will|shall|let['’]?s|going to|used to|back in|last year|in (?:19|20)\d\d|never|almost|nearly|might|may(?= \p{L})|could|would|should|want|wants|wanted|hope|hopes|hoping|plan|plans|planning|maybe|perhaps|probably|if|unless|think|thinks|wish|try|trying|tried|when|whenever|until|till|temporarily|for now)\b`,
);
/** Words before a thing that do not tell it from others. */
const PLAIN: ReadonlySet<string> = new Set(
  "the my our your this that a an new old current own next big little whole weekly monthly daily of".split(" "),
);
/** Returns the change that a sentence reports; undefined if it reports none, or a doubtful one. */
export function readChange({ mask, text, places }: Sentence): Omit<Change, "messageIndex" | "subject"> | undefined {
  const begin = withoutLeadIns(mask, { start: 0, end: mask.length }).start;
  const start = begin + (CALLED.exec(mask.slice(begin))?.[0].length ?? 0);
  if (!HINT.test(mask) || DOUBTFUL.test(mask) || HYPOTHETICAL.test(mask) || REPORTED.test(mask.slice(start)))
    return undefined;
  const end = withoutTail(mask, { start, end: mask.length });
  const said = mask.slice(start, end);
  if (QUESTION.test(mask.slice(start)) || said.endsWith("?")) return undefined;
  const clauses = said.split(/,? and |, |; /u).slice(1, MAX_CLAUSES);
  // "I bought a Tesla and traded in the Golf": the subject stands in the first clause.
  const read = [said, said.replace(WHEN, ""), ...clauses, ...clauses.map((clause) => `I ${clause}`)];
  const found = read.reduce<Form | undefined>((form, clause) => form ?? formOf(clause), undefined);
  // "For the billing account, use b@x.org" gives no address of the speaker.
  if (!found || (found.how === "contact" && /^\W*for\b/iu.test(mask))) return undefined;
  const kept = text.slice(start, end);
  const first = places[start] ?? 0;
  return {
    ...found,
    text: kept.charAt(0).toUpperCase() + kept.slice(1),
    range: { start: first, end: (places[end - 1] ?? first) + 1 },
  };
}

/** Matches the clause that says how the speaker was told: "The dentist called, they moved my appointment". */
const CALLED = patternOf(
  String.raw`^(?:the|my|our) [\p{L}'-]{1,30}(?: [\p{L}'-]{1,30})? (?:just )?(?:called|phoned|rang|texted|e-?mailed|wrote)(?: me| us)?(?:,| and)(?: and)? `,
);

/** Matches the verbs by which a name takes the place of another. */
const REPLACES = /^(?:changed|moved|switched|renamed|replaced|swapped|traded|exchanged|transferred)/iu;
/** Matches what counts some of several things: "One cat died". */
export const COUNTS = /^(?:one|another|both|two|three|four|five|six|some|all|most|many|several|few)$/u;
/** The most clauses of a sentence in which a change is looked for. */
const MAX_CLAUSES = 5;

/** Matches words for the time of a thing. */
const OF_TIME = /^(?:day|time|date|hour|slot|appointment)$/u;
/** Matches verbs by which only a time changes, so that "the dentist got pushed" is the appointment. */
const TIMED = /^(?:pushed|re-?scheduled|postponed|delayed|rebooked)/iu;

type Form = Pick<
  Change,
  | "how"
  | "thing"
  | "who"
  | "about"
  | "old"
  | "isIt"
  | "isMove"
  | "isSwap"
  | "value"
  | "mayReplaceName"
  | "mayReplaceWord"
>;

function formOf(clause: string): Form | undefined {
  for (const [how, form] of FORMS) {
    const groups = form.exec(clause)?.groups;
    const found = groups && readForm(how, groups);
    if (found) return found;
  }
  return undefined;
}

/** The changes of a thing that the sentence names. */
const NAMES_THING: ReadonlySet<Change["how"]> = new Set(["value", "end", "again"]);

/** Returns what the groups of a form say; undefined if they name no thing. */
function readForm(
  how: Change["how"],
  { thing: named, off = named, who, about, old, it, verb, value = "" }: Readonly<Record<string, string | undefined>>,
): Form | undefined {
  // "It moved to 10 December" gives a day and no amount.
  if (how === "amount" && kindsOf(value).has("day")) return undefined;
  const words = tellingWords(off);
  // "I switched gym days to Monday" is about the gym.
  const isOfTime = words.length > 1 && OF_TIME.test(words.at(-1) ?? "");
  const thing = isOfTime ? words.slice(0, -1) : words;
  if (thing.length === 0 ? NAMES_THING.has(how) : thing.some(isNoThing) || POINTS.has(thing.at(-1) ?? ""))
    return undefined;
  const hasVerb = (verbs: RegExp) => verb !== undefined && verbs.test(verb);
  return {
    how,
    thing,
    who: tellingWords(who),
    about: tellingWords(about),
    old: tellingWords(old),
    isIt: it !== undefined || isOfTime || hasVerb(TIMED),
    isMove: hasVerb(/^(?:moved|transferred)/iu),
    isSwap: hasVerb(/^(?:replaced|swapped|traded|exchanged)/iu),
    value: value.replace(WHEN, ""),
    mayReplaceWord: hasVerb(/^(?:changed|switched|renamed|replaced|swapped)/iu),
    mayReplaceName: verb === undefined || hasVerb(REPLACES),
  };
}

/** Returns the words of a text without articles and words such as "new", which every thing may have. */
function tellingWords(text = ""): string[] {
  return stemsOf(text).filter((word) => !PLAIN.has(word));
}

/** Returns whether a word counts things, or stands between two: "from Berlin" is no thing. */
function isNoThing(word: string): boolean {
  return COUNTS.test(word) || /^(?:from|at|to|in|on|off|with|for|by|into)$/u.test(word);
}

/** Words that name no thing. */
const POINTS: ReadonlySet<string> = new Set(
  "i we me us him her them myself he she it they you this that these those there everything something nothing thing things one who which what".split(
    " ",
  ),
);
