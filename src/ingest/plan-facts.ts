import { isOneOfSeveral } from "./coordinated.ts";

/** The fields of a stored fact that the placement of new facts needs. */
export interface KnownFact {
  readonly id: string;
  /** The text, which tells whether a new fact denies this one. */
  readonly text?: string;
  readonly textHash: string;
  readonly key: string | null;
  /** The scope and the subject, equal for facts of one scope and subject. */
  readonly scope: string;
  readonly validFrom: Date;
  readonly validTo: Date | null;
  readonly expiresAt: Date | null;
}

/** The facts that a new fact ends beside the facts with its own key, in its own scope only. */
export interface Ending {
  /** Keys. A key that ends in a colon or an @ stands for all keys that begin so, the empty key for facts without one. */
  readonly keys: readonly string[];
  /** The value that a fact must mention to end; undefined: every fact with the key ends. */
  readonly says?: string | undefined;
  /** The value that a fact must not mention to end: "I work at Lakeside" leaves "I'm a nurse at Lakeside". */
  readonly spares?: string | undefined;
  /** Whether only facts that forbid something end. A permission that ends no fact is stored as past. */
  readonly permits?: boolean | undefined;
  /** The name that a fact about somebody's life (`life:`) must mention, too. */
  readonly who?: string | undefined;
  /**
   * The values of a decision that takes another back. Facts of these keys, and facts without a key, end if they gave up
   * `kept` or chose `chosen`: "we're leaving Nginx, going with Envoy" before "we stay with Nginx".
   */
  readonly undoes?: { readonly kept?: string | undefined; readonly chosen?: string | undefined } | undefined;
  /** Whether the keys end a fact only if no other fact has them: "My flight was moved" does not say which of two flights. */
  readonly isOnly?: boolean | undefined;
  /** The ids of facts that end too, whatever their keys. */
  readonly ids?: readonly string[] | undefined;
  /** The texts of new facts of the same call. A fact with one of these texts ends too, with any key and without one. */
  readonly texts?: readonly string[] | undefined;
}

export interface NewFact {
  readonly text?: string;
  readonly textHash: string;
  readonly key: string | null;
  readonly scope: string;
  readonly validFrom: Date;
  readonly expiresAt: Date | null;
  /** The end of a fact that is past when it is learned; null for any other fact. */
  readonly validTo?: Date | null;
  /** Ids of the facts that this one supersedes, whatever their text. */
  readonly supersedes: readonly string[];
  /** Ids of the facts that say the same in other words. */
  readonly restates: readonly string[];
  /** Further facts that this one ends: denied facts, and facts with the old value of a change. */
  readonly ends?: Ending | undefined;
}

export type End = "key" | "supersede" | "update";

/** A fact in the comparison: a stored one, or a new one. */
interface PlacedFact extends Omit<KnownFact, "id" | "validTo" | "expiresAt"> {
  /** The id of a stored fact. */
  readonly id?: string;
  /** The index of a new fact in the given list. */
  readonly index?: number;
  validTo: Date | null;
  /** The latest expiry of this fact and its duplicates. */
  expiresAt: Date | null;
  /** The fact that ended this one, and the reason; set when this plan ended it. */
  ended?: { by: PlacedFact; how: End };
}

/** The placement of a new fact, with the facts that it ends. */
export interface Placement {
  status: "stored" | "duplicate";
  /** The new fact, or the existing fact that says the same. */
  fact: PlacedFact;
  ends: PlacedFact[];
}

/**
 * Places new facts one after the other among the facts of their scopes. A new fact is a duplicate
 * if a fact that already holds says the same in equal or nearly equal words; the existing fact then
 * gets the later expiry of the two. Under a key, a duplicate must also have that key and the same
 * words. The facts of one key and scope form a timeline: each holds until the next begins, even
 * when the older one is learned later. A fact without a key ends when a new fact with a key says
 * the same, so that the key's next value ends the new fact. A fact that is past when it is learned
 * ends nothing. It is a duplicate if a fact with the same words held during a part of its time. A
 * denial of a value that another has replaced already holds at no time, nor does a permission that ends nothing.
 *
 * @param update whether the ended facts count as updated texts (`update`) and not as superseded
 *   facts (`supersede`)
 */
export function planFacts(
  known: readonly KnownFact[],
  given: readonly NewFact[],
  { now, update = false }: { now: Date; update?: boolean },
): { placements: Placement[]; facts: PlacedFact[] } {
  const facts: PlacedFact[] = known.map((fact) => ({ ...fact }));
  const placements = given.map((fact, index) => {
    const placement = place(facts, fact, index, now);
    for (const replaced of facts.filter((one) => one.id !== undefined && fact.supersedes.includes(one.id))) {
      if (replaced === placement.fact || replaced.ended) continue;
      end(placement, replaced, fact.validFrom, update ? "update" : "supersede");
    }
    if (placement.status === "stored") {
      const over = facts.filter((one) => one !== placement.fact && isToEnd(one, fact, now));
      const told = over.filter(({ key }) => !key?.startsWith("not:"));
      if (!fact.ends?.isOnly || told.length <= 1) for (const one of over) end(placement, one, fact.validFrom, "key");
    }
    return placement;
  });
  return { placements, facts };
}

function place(facts: PlacedFact[], fact: NewFact, index: number, now: Date): Placement {
  const { text = "", textHash, key, scope, validFrom, expiresAt, supersedes } = fact;
  const others = facts.filter((one) => one.scope === scope);
  if (changesNothing(others, fact, now)) return placeOver(facts, others, fact, index);
  if (fact.validTo) return placePast(facts, others, { ...fact, validTo: fact.validTo }, index);
  const same = others.filter(
    (one) =>
      (one.textHash === textHash || isNamed(one, fact.restates)) &&
      !isNamed(one, supersedes) &&
      holds(one, validFrom, now),
  );
  const timeline = others
    .filter((one) => key !== null && one.key === key)
    .sort((a, b) => a.validFrom.getTime() - b.validFrom.getTime());
  const next = timeline.find((one) => one.validFrom > validFrom);
  const isDuplicate = (one: PlacedFact) =>
    key === null ||
    // Embeddings hardly distinguish "tea over coffee" from "coffee over tea", and under a key
    // nothing is lost by storing both. A value that returns after another value does not show that
    // it held before.
    (one.key === key && one.textHash === textHash && (one.validFrom <= validFrom || one === next));
  const duplicate = same.find(isDuplicate);
  if (duplicate) {
    duplicate.expiresAt = later(duplicate.expiresAt, expiresAt);
    return { status: "duplicate", fact: duplicate, ends: [] };
  }
  const placed: PlacedFact = { index, text, textHash, key, scope, validFrom, validTo: null, expiresAt };
  const placement: Placement = { status: "stored", fact: placed, ends: [] };
  if (key !== null) {
    const previous = timeline.findLast((one) => one.validFrom <= validFrom);
    const isOpen = previous && (previous.validTo === null || previous.validTo > validFrom);
    if (isOpen && !isNamed(previous, supersedes)) end(placement, previous, validFrom, "key");
    const over = earlier(next, laterDenial(others, placed, key));
    if (over) {
      placed.validTo = over.validFrom;
      placed.ended = { by: over, how: "key" };
    } else for (const one of same) if (one.key === null) end(placement, one, validFrom, "key");
  }
  facts.push(placed);
  return placement;
}

/** Returns the fact that begins first; undefined if there is none. */
function earlier(...facts: readonly (PlacedFact | undefined)[]): PlacedFact | undefined {
  return facts.filter((one) => one !== undefined).toSorted((a, b) => a.validFrom.getTime() - b.validFrom.getTime())[0];
}

/** Returns the first later denial of a statement that is learned late: "I left Acme" of March before "I work at Acme" of January. */
function laterDenial(others: readonly PlacedFact[], { text = "", validFrom }: PlacedFact, key: string) {
  return earlier(...others.filter((one) => one.validFrom > validFrom && denies(one, key, text)));
}

/** The fewest letters of a word that tells a value. */
const TELLING_LETTERS = 4;

/** Returns whether a denial that holds is about the value of a statement, whose telling words it must all have. */
function denies(
  { key: denial, text: denied = "", validFrom, validTo }: PlacedFact,
  key: string,
  text: string,
): boolean {
  if (!denial?.startsWith("not:") || (validTo !== null && validTo <= validFrom)) return false;
  const of = denial.slice("not:".length);
  if (of !== key) return of.startsWith(`${key}:`) && mentions(text, of.slice(key.length + 1));
  const telling = wordsOf(text).filter((word) => word.length >= TELLING_LETTERS);
  return telling.length > 0 && telling.every((word) => wordsOf(denied).includes(word));
}

function placePast(
  facts: PlacedFact[],
  others: readonly PlacedFact[],
  { text = "", textHash, key, scope, validFrom, validTo, expiresAt }: NewFact & { validTo: Date },
  index: number,
): Placement {
  const isSame = (one: PlacedFact) =>
    one.textHash === textHash && one.validFrom < validTo && (one.validTo === null || one.validTo > validFrom);
  const duplicate = others.find(isSame);
  if (duplicate) return { status: "duplicate", fact: duplicate, ends: [] };
  const placed: PlacedFact = { index, text, textHash, key, scope, validFrom, validTo, expiresAt };
  facts.push(placed);
  return { status: "stored", fact: placed, ends: [] };
}

/** Matches the keys of denials about a subject that has one value at a time. */
const ONE_VALUE = /^not:(?:user\.|entity:|favourite:)/u;

/**
 * Returns whether a new fact only denies a value that others have replaced already: "Paul is no longer
 * my manager" after "My manager is Petra"; or only permits what nothing forbids.
 */
function changesNothing(others: readonly PlacedFact[], fact: NewFact, now: Date): boolean {
  const { key, ends, validFrom } = fact;
  if (ends?.permits) return !others.some((one) => isToEnd(one, fact, now));
  const { keys = [], says } = ends ?? {};
  if (says === undefined || !ONE_VALUE.test(key ?? "")) return false;
  const holding = others.filter((one) => one.validFrom <= validFrom && holds(one, validFrom, now));
  return keys.every((wanted) => {
    const ofKey = holding.filter((one) => isOf(one.key ?? "", wanted));
    // A wanted key that stands for many stands for further values ("I also work at Acme"). There may be none.
    return (ofKey.length > 0 || STANDS_FOR_MANY.test(wanted)) && ofKey.every((one) => !hasValue(one, says));
  });
}

/** Places a fact that changes nothing, and so holds at no time: as a current fact it would hide what holds. */
function placeOver(
  facts: PlacedFact[],
  others: readonly PlacedFact[],
  { text = "", textHash, key, scope, validFrom, expiresAt }: NewFact,
  index: number,
): Placement {
  const same = others.find((one) => one.key === key && one.textHash === textHash && one.validTo !== null);
  if (same) return { status: "duplicate", fact: same, ends: [] };
  const placed: PlacedFact = { index, text, textHash, key, scope, validFrom, validTo: validFrom, expiresAt };
  facts.push(placed);
  return { status: "stored", fact: placed, ends: [] };
}

/** Returns whether a new fact ends a fact of its scope that holds: by id, by text, or by key and mentioned value. */
function isToEnd(one: PlacedFact, fact: NewFact, now: Date): boolean {
  const { ends, scope, validFrom, restates } = fact;
  if (!ends || one.scope !== scope || one.ended || !holds(one, validFrom, now)) return false;
  if (isNamed(one, ends.ids ?? [])) return !isNamed(one, restates);
  if (one.validFrom > validFrom) return false;
  if (one.index !== undefined && ends.texts?.includes(one.text ?? "")) return true;
  const key = one.key ?? "";
  if (!isAmong(one, ends)) return false;
  if (ends.undoes && isUndone(one.text ?? "", ends.undoes)) return true;
  if (key === "") return false;
  if (key.startsWith("not:")) return isDenialTakenBack(key, ends, fact);
  if (ends.spares !== undefined && hasValue(one, ends.spares)) return false;
  const isAboutWho = ends.who === undefined || !key.startsWith("life:") || hasValue(one, ends.who);
  return isAboutWho && (ends.says === undefined || saysOnly(one, ends.says));
}

/** Returns whether a fact has a value, and not as one of several: "I left Globex" leaves "I work at Acme and at Globex". */
function saysOnly(one: PlacedFact, value: string): boolean {
  return hasValue(one, value) && !isOneOfSeveral(one.text ?? "", value);
}

/** Returns whether a statement takes back its own denial: "I drink tea again" ends `not:do:drink-tea`. */
function isDenialTakenBack(key: string, ends: Ending, fact: NewFact): boolean {
  const [, , denied = "", aspect] = key.split(":");
  if (aspect !== undefined && !fact.key?.endsWith(`:${aspect}`)) return false;
  // "My boss is Jana" has the key of "Jana is no longer my manager" and not its words.
  return denied === "" || ends.keys.includes(key) || mentions(fact.text ?? "", denied);
}

/** Returns whether a fact has one of the keys, and, for a permission, forbids something. */
function isAmong({ key, text = "" }: PlacedFact, { keys, permits }: Ending): boolean {
  return keys.some((wanted) => isOf(key ?? "", wanted)) && (permits !== true || FORBIDS.test(text));
}

/** Matches a wish that forbids something. */
const FORBIDS = /\b(?:never|don['’]t|do not|must not|should not|shouldn['’]t|stop|avoid|no longer)\b/iu;
const STANDS_FOR_MANY = /[:@]$/u;

function isOf(key: string, wanted: string): boolean {
  return key === wanted || (STANDS_FOR_MANY.test(wanted) && key.startsWith(wanted));
}

function hasValue({ text = "" }: PlacedFact, value: string): boolean {
  return mentions(text.replace(OLD_VALUE, " "), value);
}

/** Returns whether a decision gave up what is kept after all, or chose what is given up again. */
function isUndone(text: string, { kept, chosen }: NonNullable<Ending["undoes"]>): boolean {
  return standsBehind(text, GIVES_UP, kept) || standsBehind(text, CHOOSES, chosen);
}

/** Returns whether a value stands directly behind one of the verbs. */
function standsBehind(text: string, verbs: RegExp, value = ""): boolean {
  const wanted = wordsOf(value);
  if (wanted.length === 0) return false;
  return [...text.matchAll(verbs)].some(({ index, 0: verb }) => {
    const behind = wordsOf(text.slice(index + verb.length, index + verb.length + value.length + 20));
    return wanted.every((word, at) => behind[at]?.startsWith(word));
  });
}

const GIVES_UP =
  /\b(?:leav(?:e|ing)|left|drop(?:ped|ping)?|ditch(?:ed|ing)?|abandon(?:ed|ing)?|retir(?:e|ed|ing)|replac(?:e|ed|es|ing)|(?:stop(?:ped)?|no longer) using|(?:switch|mov|migrat|chang)\p{L}* (?:\p{L}+ ){0,3}(?:from|off)|instead of|rather than|not)\b/giu;
const CHOOSES =
  /\b(?:(?:going|go|went) (?:with|for)|(?:switch|mov|migrat)\p{L}* to|adopt\p{L}*|use|using|chos(?:e|en)|choosing|pick(?:ed|ing)?|settled on|decided (?:on|for))\b/giu;

/** Returns whether every word of a value begins a word of the text: "coffee" is in "I drink coffees". */
function mentions(text: string, value: string): boolean {
  const words = wordsOf(text);
  const wanted = wordsOf(value);
  return wanted.length > 0 && wanted.every((one) => words.some((word) => word.startsWith(one)));
}

function wordsOf(text: string): string[] {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.filter((word) => !ARTICLES.has(word));
}

/** Matches the value that a text gives up: "from Jenkins", "instead of npm". */
const OLD_VALUE = /\b(?:from(?! (?:home|now|here|today)\b)|instead of|rather than|over|not)\b.*?(?= to |[,.;]|$)/giu;
const ARTICLES: ReadonlySet<string> = new Set(["the", "a", "an", "my", "our", "i", "to", "in", "at", "for", "of"]);

function isNamed(fact: PlacedFact, ids: readonly string[]): boolean {
  return fact.id !== undefined && ids.includes(fact.id);
}

/** Returns the later time; null is later than every time. */
function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}

/** Returns whether a fact holds at a moment, or has begun to hold since then. */
function holds(fact: PlacedFact, at: Date, now: Date): boolean {
  const isOpen = (fact.validTo === null || fact.validTo > at) && (fact.expiresAt === null || fact.expiresAt > now);
  return isOpen && (fact.validFrom <= at || fact.validFrom <= now);
}

/** Ends a fact, but never before it began. */
function end({ fact, ends }: Placement, old: PlacedFact, at: Date, how: End): void {
  old.validTo = at < old.validFrom ? old.validFrom : at;
  old.ended = { by: fact, how };
  ends.push(old);
}
