import { joinedWords } from "./joined-words.ts";
import { commonWords } from "./question-words.ts";
import { languageOf } from "./text-language.ts";
import {
  camelParts,
  compoundNames,
  documentGrams,
  foldToken,
  queryGrams,
  type ScannedWord,
  scanCompounds,
  splitUnspaced,
  umlautSpellings,
} from "./tokens.ts";

/**
 * The text of a document that the keyword arm stores: `to_tsvector(language, words) ||
 * terms::tsvector`, in the language of the text or index.
 */
interface AnalyzedDocument {
  /**
   * Lower-case words of letters and digits, separated by one space; the database drops stop words
   * and stems.
   */
  words: string;
  /**
   * Lexemes that are not stemmed in any language, with positions, in the text form of a tsvector.
   */
  terms: string;
}

/**
 * One concept that a query asks for. Its spellings are alternatives: the score of the best spelling
 * counts, not their sum.
 */
interface QueryConcept {
  /** Spellings that the database stems and may drop as stop words. */
  words: string[];
  /** Spellings that are searched unchanged. */
  exact: string[];
  /** The weight of finding the concept, above 0 and at most 1, the weight of a word. */
  weight: number;
}

interface AnalyzedQuery {
  concepts: QueryConcept[];
  /** The text search configuration of the query's language, if the index has texts in it. */
  language: string | undefined;
}

/**
 * The most characters of one document that are analysed. A chunk has a few thousand. At this size
 * even the worst text, in which every pair of characters is a lexeme of its own, stays under the
 * megabyte that a tsvector may have.
 */
const MAX_DOCUMENT_LENGTH = 65_536;
const MAX_QUERY_LENGTH = 16_384;
const MAX_CONCEPTS = 128;
/** The weight of a word that is common in the language, however rare it is in a small index. */
const COMMON_WEIGHT = 0.25;
/**
 * The most characters of a word. Longer words (keys, encoded data) are found by their beginning;
 * Postgres would drop a word above 2,046 bytes as a whole.
 */
const MAX_WORD_LENGTH = 128;
/** The most positions of one lexeme that a tsvector keeps. */
const MAX_POSITIONS = 255;

/**
 * Characters that hide inside words: soft hyphen, zero-width space and joiners, word joiner, byte
 * order mark.
 */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const NOT_ASCII = /[^\x00-\x7f]/;

interface Sink {
  /** Takes a word that the database stems; `folded` is the same word spelt without accents. */
  word(word: string, folded: string | undefined): void;
  exact(term: string): void;
  unspaced(run: string): void;
}

/**
 * Splits a document for the keyword arm. Postgres' own parser takes hosts, paths, versions and
 * e-mail addresses for single tokens and whole Chinese sentences for words, so it is only ever
 * given plain words. Names (identifiers, paths, versions) are indexed whole and by part, unspaced
 * scripts by character pairs, accented words with and without accents, grouped numbers also without
 * their groups.
 */
export function analyzeDocument(text: string): AnalyzedDocument {
  const words: string[] = [];
  const terms = new Map<string, number>();
  const addTerm = (term: string) => terms.set(term, (terms.get(term) ?? 0) + 1);
  scan(text.slice(0, MAX_DOCUMENT_LENGTH), {
    word: (word, folded) => {
      words.push(word);
      if (folded !== undefined) words.push(folded);
    },
    exact: addTerm,
    unspaced: (run) => {
      for (const gram of documentGrams(run)) addTerm(gram);
    },
  });
  return { words: words.join(" "), terms: tsvectorText(terms) };
}

const NO_LETTER = /[^\p{L}\p{M}\p{N}]+/gu;

/**
 * Returns the letters and digits of a text without the characters between them, in lower case and
 * without accents. Each word and term that `analyzeDocument` makes of the text is a part of it, in the
 * same form, so a search in it tells that a text lacks a term, without an analysis.
 */
export function lettersIn(text: string): string {
  const lower = normalise(text).toLowerCase();
  return foldToken(lower).replace(NO_LETTER, "");
}

/** Matches words that ask for a job: "What do I do for a living?" does not ask where somebody lives. */
const FOR_A_LIVING = /(?<=(?<!\p{L})(?:do|does|did|doing) )for (?:a|his|her|their|my|your) living(?!\p{L}| \p{L})/giu;

/**
 * Splits a query as `analyzeDocument` splits documents. A query has no operators. The number of
 * concepts is bounded, whatever the query's length.
 *
 * @param languages the text search configurations of the index's texts
 * @param isMessage whether the text is a message and not a question: "thanks" or "today" then says
 *   little in any language
 */
export function analyzeQuery(text: string, languages: readonly string[], isMessage = false): AnalyzedQuery {
  const language = askedIn(text, languages);
  const isGerman = language === undefined ? languages.includes("german") : language === "german";
  const concepts = new Map<string, QueryConcept>();
  const first = new Set<string>();
  const add = (key: string, concept: QueryConcept) => {
    const known = concepts.get(key);
    if (first.size < MAX_CONCEPTS / 2) first.add(key);
    // After the first concepts, a concept that occurs several times stands at its last place,
    // because a question after a pasted text repeats words of that text.
    if (known && !first.has(key)) concepts.delete(key);
    concepts.set(key, known ?? concept);
  };
  const addExact = (term: string, weight: number) => add(`=${term}`, { words: [], exact: [term], weight });
  scan(text.slice(0, MAX_QUERY_LENGTH).replace(FOR_A_LIVING, "for a job"), {
    word: (word, folded) => {
      const words = [word, ...(folded === undefined ? [] : [folded]), ...umlautSpellings(word, isGerman)];
      add(word, { words, exact: [], weight: 1 });
    },
    exact: (term) => addExact(term, 1),
    unspaced: (run) => {
      for (const { gram, weight } of queryGrams(run)) addExact(gram, weight);
    },
  });
  const asked = endsOf([...concepts]);
  const common = commonWords(
    asked.map(([word]) => word),
    isMessage ? [] : languages,
  );
  for (const [word, concept] of asked) if (common.has(word)) concept.weight *= COMMON_WEIGHT;
  return { concepts: asked.map(([, concept]) => concept), language };
}

/**
 * Returns the first and the last concepts if there are too many. The question stands before or
 * after the pasted text, such as a log or a letter.
 */
function endsOf<T>(all: readonly T[]): readonly T[] {
  if (all.length <= MAX_CONCEPTS) return all;
  return [...all.slice(0, MAX_CONCEPTS / 2), ...all.slice(-MAX_CONCEPTS / 2)];
}

/**
 * Returns the query's language if the index has it. A question of three words could be in many
 * languages, but hardly in two that the index has.
 */
function askedIn(text: string, languages: readonly string[]): string | undefined {
  if (languages.length <= 1) return languages[0];
  const language = languageOf(text, languages);
  return languages.includes(language) ? language : undefined;
}

function scan(text: string, sink: Sink): void {
  const normal = normalise(text);
  scanCompounds(normal, (words, suffix) => {
    for (const word of words) emitWord(word.text, sink);
    const last = words.at(-1);
    if (suffix !== "" && last) sink.exact(foldToken(cut(last.text.toLowerCase())) + suffix);
    if (words.length > 1) emitNames(words, sink);
  });
  for (const word of joinedWords(normal)) emitLower(word.toLowerCase(), sink);
}

function normalise(text: string): string {
  return NOT_ASCII.test(text) ? text.toWellFormed().normalize("NFKC").replace(INVISIBLE, "") : text;
}

function emitWord(text: string, sink: Sink): void {
  const split = splitUnspaced(text);
  for (const run of split?.runs ?? []) sink.unspaced(run);
  for (const part of split?.rest ?? [text]) emitSpaced(part, sink);
}

function emitSpaced(text: string, sink: Sink): void {
  const lower = text.toLowerCase();
  if (lower !== text) for (const part of camelParts(text) ?? []) emitLower(part.toLowerCase(), sink);
  emitLower(lower, sink);
}

function emitLower(lower: string, sink: Sink): void {
  const word = cut(lower);
  const folded = foldToken(word);
  sink.word(word, folded === word ? undefined : folded);
}

function emitNames(words: readonly ScannedWord[], sink: Sink): void {
  const { joined, exact } = compoundNames(words);
  for (const name of joined) emitLower(name, sink);
  for (const name of exact) sink.exact(name);
}

function cut(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : word.slice(0, MAX_WORD_LENGTH).toWellFormed();
}

function tsvectorText(terms: ReadonlyMap<string, number>): string {
  const parts: string[] = [];
  for (const [term, count] of terms) {
    const positions = Array.from({ length: Math.min(count, MAX_POSITIONS) }, (_, index) => index + 1);
    parts.push(`'${term.replaceAll("\\", "\\\\").replaceAll("'", "''")}':${positions.join(",")}`);
  }
  return parts.join(" ");
}
