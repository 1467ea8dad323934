import { contentHash } from "./normalise.ts";

/**
 * Returns a fact's text in its stored form: in Unicode normal form C, without surrounding white
 * space.
 */
export function normaliseFact(text: string): string {
  return text.normalize("NFC").trim();
}

/**
 * Returns the hash by which texts are compared. It ignores case, width, white space and final
 * punctuation.
 */
export function factHash(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ");
  return contentHash(folded.trim().replace(/[\s.!。．！]+$/u, ""));
}

/** The fields of a fact that are indexed. */
export interface IndexedFact {
  text: string;
  /** The person who said it, or the person or thing that it is about. */
  subject: string | null;
  /** The key, which names the property of the subject. */
  key: string | null;
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Returns the heading of a fact in the index: its subject and the words of its key. "I'm Petra"
 * answers "What is my name?" only by its key `user.name`, "I live in Porto" answers "Where does
 * Ana live?" only by its subject `Ana`, and "I moved to Porto" answers "Where do I live?" by a word of `ASKED`.
 */
export function factHeading({ text, subject, key }: IndexedFact): string {
  const name = subject === null || isIdentifier(subject) || namesSubject(text, subject) ? [] : [subject];
  return [...name, ...(key?.match(WORDS) ?? []), ...(ASKED.get(key ?? "") ?? [])].join(" ");
}

/** The words with which people ask for the value of a key. Neither the key nor most facts with it contain these words. */
const ASKED: ReadonlyMap<string, readonly string[]> = new Map([
  ["user.location", ["live", "home"]],
  ["user.address", ["live", "home"]],
  ["user.employer", ["work", "job"]],
  ["user.job", ["work"]],
  ["user.unemployed", ["work", "job"]],
  ["user.diet", ["eat", "food"]],
  ["user.partner", ["relationship"]],
  ["user.marital", ["relationship", "married"]],
  ["user.origin", ["from"]],
  ["user.age", ["old"]],
]);

/** The fewest digits of a word that is an identifier, such as a UUID or a number of a messenger. */
const LEAST_DIGITS = 4;

/** Returns whether a subject is an identifier. Nobody asks for one, and it would blur the meaning. */
function isIdentifier(subject: string): boolean {
  return !subject.includes(" ") && (subject.match(/\p{N}/gu) ?? []).length >= LEAST_DIGITS;
}

/** Returns whether a text has the words of a subject. */
export function namesSubject(text: string, subject: string): boolean {
  const [all, name] = [text, subject].map((one) => (one.normalize("NFKC").toLowerCase().match(WORDS) ?? []).join(" "));
  return ` ${all} `.includes(` ${name} `);
}

/** Returns a fact's hash in the embedding cache. */
export function factChunkHash(fact: IndexedFact): string {
  return contentHash(`${factHeading(fact)}\n${fact.text}`);
}

/** Words that turn a statement into its opposite, in the commonest languages of facts. */
const NEGATIONS = new Set(
  "not no never none without cannot nicht kein keine keinen nie non pas jamais sans sin nunca jamás não nem senza mai".split(
    " ",
  ),
);
/** Words that are not names although a sentence may begin with them. */
const COMMON = new Set(
  `a an the this that these in on at by for from to of with and or as if when is are was i my we our you your he his she her they
   their it its der die das ein eine im am mit und wenn ich mein wir le la les un une des du de en il elle je mon nous el los las
   una mi yo o il lo gli un uno io`.split(/\s+/),
);

/**
 * Returns whether two texts with nearly equal embeddings say the same. In a longer text embeddings
 * hardly distinguish `port 8080` from `port 8081`, `uses tabs` from `never uses tabs`, or "A
 * manages B" from "B manages A". So names (words with a capital letter in either text), words with
 * a digit, and negations must be the same in the same order.
 */
export function restates(one: string, other: string): boolean {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const telling = new Set([...words, ...others].filter(isTelling).map(fold));
  const inOrder = (all: readonly string[]) => all.map(fold).filter((word) => telling.has(word));
  return inOrder(words).join(" ") === inOrder(others).join(" ");
}

function wordsOf(text: string): string[] {
  const words =
    text
      .normalize("NFKC")
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}_'.:/+-]+/gu) ?? [];
  return words.map((word) => word.replace(/[.:'/]+$/u, ""));
}

function isTelling(word: string): boolean {
  const folded = fold(word);
  return /\p{N}/u.test(word) || NEGATIONS.has(folded) || (/\p{Lu}/u.test(word) && !COMMON.has(folded));
}

function fold(word: string): string {
  const lower = word.toLowerCase();
  return lower.endsWith("n't") ? "not" : lower;
}
