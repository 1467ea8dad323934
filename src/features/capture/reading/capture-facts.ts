import { MAX_STATEMENT_CHARS } from "../../../ingest/ask-for-facts.ts";
import { correct } from "./corrections.ts";
import {
  CORRECTS,
  CORRECTS_INSIDE,
  HYPOTHETICAL,
  MISSAID,
  MISTAKEN,
  REMEMBER_ALONE,
  RULES_AHEAD,
  TAKEN_BACK,
  TAKES_BACK,
} from "./english.ts";
import { CAPTURED_IMPORTANCE, type FactCandidate } from "./fact-candidate.ts";
import { ownWords } from "./own-words.ts";
import { type Change, readChange } from "./read-change.ts";
import { type HowRead, partOf, readSentence, type Statement, withoutLeadIns } from "./read-sentence.ts";
import { type CaptureMessage, readableTexts } from "./readable-texts.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";

/** The most candidates of one message. A message that states more is a document. */
const MAX_CANDIDATES = 50;
/** The most candidates of all messages that are read together. */
const MAX_OF_ALL = 250;
/** Matches two words, or three characters of a script without spaces. */
const WHOLE = /[\p{L}\p{N}]\S* \S*[\p{L}\p{N}]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]{3}/u;
const ITEM = /^\s*(?:[-*•+–]|\d{1,3}[.)])\s/u;

/**
 * Finds by rules, without a model, what users say about themselves, what they want, and which
 * decisions they report. The rules are for English; in other languages only explicit requests to
 * remember something are read. It ignores quotations, code, logs and texts to work on; questions
 * and hypotheses; statements and preferences of other people; and statements that refer to
 * something at hand ("I prefer the second one") or apply only once. Linear in the length of the
 * messages.
 *
 * @param messages in order; messages of all roles may be included
 * @returns the statements in the order of the messages, the newest 250; of two equal ones in a message
 *   only the later
 */
export function captureFacts(messages: readonly CaptureMessage[]): FactCandidate[] {
  return readMessages(messages).facts;
}

/** Returns what `captureFacts` finds, and the newest 250 changes that no rule reads. */
export function readMessages(messages: readonly CaptureMessage[]): { facts: FactCandidate[]; changes: Change[] } {
  const found: FactCandidate[] = [];
  const changes: Change[] = [];
  /** The last statements of the user's message before, its place, and whether it was answered since. */
  let before: { statements: Statement[]; name: string | undefined; at: number; isAnswered: boolean } | undefined;
  for (const [messageIndex, read] of readableTexts(messages).entries()) {
    const message = messages[messageIndex];
    if (message?.role !== "user") {
      if (before) before.isAnswered = true;
      continue;
    }
    const { statements: said, at: place = -1 } =
      before?.name === message.name && (!before?.isAnswered || correctsOwn(read)) ? (before ?? {}) : {};
    const subject = message.name === undefined ? {} : { subject: message.name };
    const { statements, withdrawn, last, changes: reported } = readAfter(read, said, before?.isAnswered === true);
    const isStored = messages[place]?.isStored === true;
    const isOfBefore = ({ messageIndex: one }: Change) => one === before?.at;
    if (takesBack(read)) changes.splice(0, changes.length, ...changes.filter((one) => !isOfBefore(one)));
    changes.push(...reported.map((one) => ({ ...one, ...subject, messageIndex })));
    before = { statements: last, name: message.name, at: messageIndex, isAnswered: false };
    const kept = found.filter(({ messageIndex: at, range }) => at !== place || !isOneOf(withdrawn, range));
    found.splice(0, found.length, ...kept);
    for (const { value: _, ...statement } of isStored ? statements.map(endingAll(withdrawn)) : statements)
      found.push({ ...statement, ...subject, importance: CAPTURED_IMPORTANCE, messageIndex });
  }
  return { facts: found.slice(-MAX_OF_ALL), changes: changes.slice(-MAX_OF_ALL) };
}

/**
 * Reads a message that may correct the statements before it. Behind an answer it does so only with a new
 * value: "Scratch that, write a mail instead" takes back a request, and not what the user said before.
 */
function readAfter(text: string, before: readonly Statement[] | undefined, isAnswered: boolean): ReadMessage {
  const read = readStatements(text, before);
  const isReplaced = (old: Statement) => read.statements.some(({ trigger }) => trigger === old.trigger);
  return isAnswered && !read.withdrawn.every(isReplaced) ? readStatements(text) : read;
}

/**
 * Returns a function that lets a statement end the stored facts of the statements that it corrects: the key
 * of "I'm allergic to nuts" has the nuts in it, so another allergy does not replace it.
 */
function endingAll(corrected: readonly Statement[]): (statement: Statement) => Statement {
  return (statement) => {
    const keys = corrected.flatMap(({ key, trigger }) => (trigger === statement.trigger && key ? [key] : []));
    const others = keys.filter((key) => key !== statement.key);
    if (others.length === 0) return statement;
    return { ...statement, ends: { ...statement.ends, keys: [...(statement.ends?.keys ?? []), ...others] } };
  };
}

/**
 * Returns whether a message begins with a correction of the user's own words, such as "Sorry, I meant
 * Bergen". "No, Bergen" after an answer is a reply to the answer.
 */
export function correctsOwn(text: string): boolean {
  return MISSAID.test(CORRECTS.exec(text.trimStart())?.[0] ?? "");
}

function isOneOf(statements: readonly Statement[], { start, end }: Statement["range"]): boolean {
  return statements.some(({ range }) => range.start === start && range.end === end);
}

interface ReadMessage {
  readonly statements: Statement[];
  /** Statements of the message before that this one takes back. */
  readonly withdrawn: Statement[];
  /** The statements of the last sentence, which the next message may correct. */
  readonly last: Statement[];
  /** The changes in sentences that no rule reads, or only a rule of changes. */
  readonly changes: ReportedChange[];
}

/** Matches the rules of statements that may leave the fact that has changed: "The deadline was extended to Monday", "Use b@x.org now". */
const MAY_END_MORE = /^(?:moved|changed|relation|use|from now on)$/u;

type ReportedChange = Omit<Change, "messageIndex" | "subject">;

function readStatements(text: string, before: readonly Statement[] = []): ReadMessage {
  const found = new Map<string, Statement>();
  const read = readMessage(text, before);
  for (const statement of read.statements) {
    const same = statement.text.toLowerCase();
    found.delete(same);
    if (found.size === MAX_CANDIDATES) break;
    found.set(same, statement);
  }
  return { ...read, statements: withoutDenied([...found.values()]) };
}

/**
 * Returns the statements without a denial that a later one with the new value makes needless: "I no longer
 * live in Porto, I moved to Faro". The new value then ends what the denial would have ended, and replaces the
 * old value itself.
 */
function withoutDenied(statements: readonly Statement[]): Statement[] {
  const left = [...statements];
  for (const denial of statements) {
    const at = left.findIndex(({ key }, index) => index > left.indexOf(denial) && denies(denial, key));
    const next = left[at];
    if (next === undefined || next.ends?.says !== undefined || next.ends?.undoes !== undefined) continue;
    const { keys = [], says } = denial.ends ?? {};
    left[at] = { ...next, ends: { keys: [...keys, ...(next.ends?.keys ?? [])], says } };
    left.splice(left.indexOf(denial), 1);
  }
  return left;
}

/** Returns whether a denial is about what a key holds. "I left Ulm" may be about an employer or a home. */
function denies({ key: denied, ends }: Statement, key: string | undefined): boolean {
  if (key === undefined || !denied?.startsWith("not:")) return false;
  return denied === `not:${key}` || (ends?.keys.includes(key) ?? false);
}

function readMessage(text: string, before: readonly Statement[]): ReadMessage {
  const stated = new Set<Statement>();
  const takenBack: Statement[] = [];
  const changes: ReportedChange[] = [];
  const mask = ownWords(text);
  // Everything after "suppose that …" is hypothetical, up to the end of the paragraph.
  let supposedUntil = -1;
  /** The end of the list of rules that a line announced. */
  let rulesUntil = -1;
  const sentences = withMarks(sentencesOf(text, mask)).flatMap(predicatesOf);
  /** The statements of the sentence before, and the place of the last sentence that reports a change. */
  let last: Statement[] = before.map(elsewhere);
  let lastChange: number | undefined;
  for (const [at, sentence] of sentences.entries()) {
    const start = sentence.places[0] ?? 0;
    if (start < supposedUntil) continue;
    if (isNoStatement(sentence.mask, last.length > 0 || lastChange === at - 1)) {
      supposedUntil = paragraphEnd(mask, start);
      continue;
    }
    if (RULES_AHEAD.test(sentence.mask.trim())) rulesUntil = paragraphEnd(mask, start);
    // A shorter sentence states nothing, and trying the rules on a thousand of them is slow.
    if (!WHOLE.test(sentence.text) && !CORRECTS.test(sentence.mask)) continue;
    if (takesBack(sentence.mask) && lastChange === at - 1) changes.pop();
    const isRule = start < rulesUntil && ITEM.test(mask.slice(mask.lastIndexOf("\n", start - 1) + 1, start + 3));
    const { kept, withdrawn, change } = readCompleted(sentence, last, { isRule, ...placeOf(at, sentences) });
    takenBack.push(...withdrawn.filter((one) => !stated.delete(one)));
    last = kept.filter(isWorthKeeping);
    if (keepChange(changes, change)) lastChange = at;
    for (const one of last) stated.add(one);
  }
  return { statements: [...stated], withdrawn: takenBack, last: last.filter((one) => stated.has(one)), changes };
}

/** Returns what the sentences beside a sentence say about it. */
function placeOf(at: number, sentences: readonly Sentence[]): Omit<HowRead, "isRule"> {
  return {
    isAsked: REMEMBER_ALONE.test(sentences[at + 1]?.mask.trim() ?? ""),
    isAlone: sentences.length === 1,
  };
}

/** Adds a change to the changes of a message. Returns false if there is none, or no room for another. */
function keepChange(changes: ReportedChange[], change: ReportedChange | undefined): boolean {
  if (!change || !isWorthKeeping(change) || changes.length >= MAX_CANDIDATES) return false;
  changes.push(change);
  return true;
}

/** Returns whether the text from a sentence on says nothing about the speaker. */
function isNoStatement(mask: string, hasBefore: boolean): boolean {
  return HYPOTHETICAL.test(mask) || (!hasBefore && isJokeAhead(mask));
}

/** Returns whether a sentence begins as a joke: with nothing to take back, "Just kidding, I live on the moon" is the joke. */
function isJokeAhead(mask: string): boolean {
  const { start } = withoutLeadIns(mask, { start: 0, end: mask.length });
  const back = TAKES_BACK.exec(mask.slice(start));
  return back !== null && back.groups?.drops === undefined && /kidding|jok|\bj\/?k\b/iu.test(back[0]);
}

/** Returns whether a sentence takes back, or corrects, the sentence before. */
function takesBack(mask: string): boolean {
  const said = mask.trimStart();
  return CORRECTS.test(said) || TAKES_BACK.test(said);
}

/** Reads a sentence, with its subject if that is left out, and the change that it reports. */
function readCompleted(
  sentence: Sentence,
  last: readonly Statement[],
  how: HowRead,
): ReturnType<typeof readStanding> & { change?: ReportedChange | undefined } {
  const read = readStanding(sentence, last, how);
  const completed = read.kept.length === 0 ? completedBy(sentence) : undefined;
  const kept = completed ? readSentence(completed, PLAINLY_READ).filter(isOfSelf).map(asSaid) : read.kept;
  const mayEndMore = kept.every(({ trigger }) => MAY_END_MORE.test(trigger));
  const change = mayEndMore ? readChange(completed ?? sentence) : undefined;
  return { ...read, kept, change: change && completed ? asSaid(change) : change };
}

/** Returns a statement without the "I" that was put before it, because a passage with the same words repeats a fact. */
function asSaid<T extends { readonly text: string }>(one: T): T {
  const text = one.text.replace(/^I (?:was (?=just |fired|laid off))?/u, "");
  return { ...one, text: text.charAt(0).toUpperCase() + text.slice(1) };
}

const PLAINLY_READ = { isRule: false, isAsked: false };
/**
 * Matches a sentence whose subject is left out, as in a chat: "Sold the Jazz", "just moved to Roskilde". The first group
 * is what leads in: "Yes, started at Initech".
 */
const DROPS_SUBJECT =
  /^((?:(?:and|so|oh|ok(?:ay)?|well|yes|yeah|yep|yup|update|(?:good |big )?news|btw|by the way|fyi|hey|hi|hello|guess what|finally|also|today|yesterday)[,:;.!]* )*)(?:(?:just|finally|recently|already) )*(?:moved|relocated|started|joined|quit|left|sold|bought|got|switched|changed|stopped|gave|given|cancell?ed|closed|finished|turned|fired|laid off|lost)\b/iu;

/** Returns a sentence with "I" or "I was" before it and without what leads in, if its subject is left out. */
function completedBy({ text, mask, places }: Sentence): Sentence | undefined {
  const lead = DROPS_SUBJECT.exec(mask)?.[1]?.length;
  if (lead === undefined) return undefined;
  const before = /^(?:just )?(?:fired|laid off)\b/iu.test(mask.slice(lead)) ? "I was " : "I ";
  const [place = 0] = places;
  const small = (given: string) => `${before}${given.charAt(lead).toLowerCase()}${given.slice(lead + 1)}`;
  return { text: small(text), mask: small(mask), places: [...[...before].map(() => place), ...places.slice(lead)] };
}

/**
 * Matches a sentence with two predicates about a relative or somebody by name: "My sister Claire lives in Nantes and works
 * as a nurse". Groups: the subject, the first predicate, and the second.
 */
const TWO_PREDICATES =
  /^(?!.{0,300}\b(?:who|that|which|whose|where|whom|when|because|if|says?|thinks?|convinced)\b)((?:(?:[Mm]y|[Oo]ur) [\p{L}-]{2,20}(?: \p{Lu}[\p{L}'-]{1,20})?|\p{Lu}[\p{L}'-]{1,20}) )((?:is|are|has|lives|works|plays|goes|studies|drives|speaks|takes)(?!\p{L})[^,;:?]{2,80}?) and ((?:is|has|lives|works|plays|goes|studies|drives|speaks|takes) [^,;:?]{2,80})$/u;

/**
 * Returns two sentences for a sentence with two predicates, so that a change of one predicate leaves the other fact. Any
 * other sentence is returned unchanged.
 */
function predicatesOf(sentence: Sentence): Sentence[] {
  const { text, mask, places } = sentence;
  const [all, subject = "", first = "", second = ""] = TWO_PREDICATES.exec(mask.trimEnd()) ?? [];
  if (all === undefined) return [sentence];
  const end = subject.length + first.length;
  const from = all.length - second.length;
  const behind = (whole: string) => whole.slice(0, subject.length) + whole.slice(from);
  return [
    { text: text.slice(0, end), mask: mask.slice(0, end), places: places.slice(0, end) },
    {
      text: behind(text),
      mask: behind(mask),
      // The subject gets the place of the second predicate, because two statements of one sentence must not overlap.
      places: [...Array.from({ length: subject.length }, () => places[from] ?? 0), ...places.slice(from)],
    },
  ];
}

/** Returns whether a statement is about where its speaker lives or works. "Switched to main" and "moved to GitHub" are not. */
function isOfSelf({ key, text }: Statement): boolean {
  if (key === "user.location") return AT_HOME.test(text);
  if (key === "user.employer") return AT_WORK.test(text);
  return /^(?:user\.(?:address|unemployed|age)|not:user\.employer:.*)$/u.test(key ?? "");
}

const AT_HOME = /\b(?:into|flat|apartment|house|home|place)\b/iu;
const AT_WORK = /\b(?:at|joined)\b/iu;

/** Returns a statement of the message before, with the place of its words unknown in this one. */
function elsewhere(statement: Statement): Statement {
  const { value } = statement;
  if (value === undefined) return { ...statement };
  return { ...statement, value: { ...value, stem: { ...value.stem, places: value.stem.places.map(() => -1) } } };
}

/** Joins a correction's marks that are a sentence of their own ("Oops.") to the sentence after them. */
function withMarks(sentences: readonly Sentence[]): Sentence[] {
  const whole: Sentence[] = [];
  let marks: Sentence | undefined;
  for (const [at, one] of sentences.entries()) {
    const sentence = marks === undefined ? one : joined(marks, one);
    const isMarks = at + 1 < sentences.length && CORRECTS.exec(sentence.mask)?.[0].length === sentence.mask.length;
    marks = isMarks ? sentence : undefined;
    if (!isMarks) whole.push(sentence);
  }
  return whole;
}

function joined(first: Sentence, second: Sentence): Sentence {
  return {
    text: `${first.text.trimEnd()} ${second.text}`,
    mask: `${first.mask.trimEnd()} ${second.mask}`,
    places: [...first.places.slice(0, first.mask.trimEnd().length), second.places[0] ?? 0, ...second.places],
  };
}

/**
 * Returns the statements of a sentence without those that it takes back itself: "I live in Rome, just
 * kidding".
 *
 * @param last the statements of the sentence before
 * @returns `withdrawn`: those of `last` that the beginning of the sentence takes back
 */
function readStanding(
  sentence: Sentence,
  last: readonly Statement[],
  how: HowRead,
): { kept: Statement[]; withdrawn: readonly Statement[] } {
  const { mask } = sentence;
  const { start } = withoutLeadIns(mask, { start: 0, end: mask.length });
  const first = TAKES_BACK.exec(mask.slice(start));
  if (first) {
    const { kept } = readStanding(restOf(sentence, start + first[0].length), [], how);
    return { kept, withdrawn: first.groups?.drops === undefined ? last : last.slice(-1) };
  }
  const corrected = readCorrected(sentence, last, how);
  if (corrected) return corrected;
  const back = TAKEN_BACK.exec(mask);
  if (!back) return { kept: readSentence(sentence, how), withdrawn: [] };
  const rest = readStanding(restOf(sentence, back.index + back[0].length), [], how);
  if (back.groups?.drops === undefined) return rest;
  const before = readSentence(partOf(sentence, 0, back.index), how);
  const end = sentence.places[back.index - 1] ?? 0;
  return { kept: [...before.filter((one) => one.range.end < end), ...rest.kept], withdrawn: [] };
}

/**
 * Returns the statements of a sentence that corrects the one before ("No wait, blue."), or itself ("I live in
 * Oslo, sorry, I mean Bergen"); undefined for every other sentence.
 */
function readCorrected(
  sentence: Sentence,
  last: readonly Statement[],
  how: HowRead,
): ReturnType<typeof readStanding> | undefined {
  const { mask } = sentence;
  const first = CORRECTS.exec(mask);
  const wrong = last.at(-1);
  if (first && wrong) {
    const rest = partOf(sentence, first[0].length);
    const corrected = correct(wrong, first[0], rest);
    if (corrected?.by) return { kept: [corrected.by], withdrawn: [wrong] };
    const kept = readSentence(rest, how);
    if (corrected && kept.length === 0) return { kept, withdrawn: [wrong] };
    if (MISTAKEN.test(first[0]) && kept[0]?.trigger === wrong.trigger) return { kept, withdrawn: [wrong] };
  }
  const inside = CORRECTS_INSIDE.exec(mask);
  if (!inside) return undefined;
  const said = readSentence(partOf(sentence, 0, inside.index), { ...how, isRule: false });
  const replaced = said.at(-1);
  const { marks = "" } = inside.groups ?? {};
  const rest = partOf(sentence, inside.index + inside[0].length);
  const corrected = replaced && correct(replaced, marks, rest);
  if (!corrected || (!corrected.by && readSentence(rest, how).length > 0)) return undefined;
  return { kept: [...said.slice(0, -1), ...(corrected.by ? [corrected.by] : [])], withdrawn: [] };
}

function isWorthKeeping({ text }: { readonly text: string }): boolean {
  return text.length <= MAX_STATEMENT_CHARS && WHOLE.test(text);
}

/** Returns what stands behind the words that take something back. */
function restOf(sentence: Sentence, from: number): Sentence {
  return partOf(sentence, from + (/^[\s,.;:!)…–—-]+/u.exec(sentence.mask.slice(from))?.[0].length ?? 0));
}

function paragraphEnd(mask: string, from: number): number {
  const end = mask.indexOf("\n\n", from);
  return end < 0 ? mask.length : end;
}
