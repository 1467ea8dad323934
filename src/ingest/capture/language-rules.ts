import type { FactCategory } from "../../db/agent/facts/facts.ts";

/**
 * How a statement's key is made from the groups of its pattern. A statement supersedes the earlier
 * statement with the same key. `preference`, `like`, `use`, … are explained in `fact-key.ts`;
 * `of.birthday` is the birthday of `who`; any other kind with a dot is the key itself.
 */
export type KeyKind =
  | ("preference" | "like" | "favourite" | "use" | "do" | "decision" | "entity" | "project" | "allergy" | "when")
  | `of.${string}`
  | `user.${string}`;

/** One form of a statement that is worth keeping. */
export interface CaptureRule {
  /** The rule's name in the answer, so that people see why a statement was kept. */
  readonly trigger: string;
  readonly category: FactCategory;
  /**
   * Matched against a whole clause without its lead-ins, and anchored at its start: a trigger
   * inside a sentence belongs to a statement of somebody else, a question, or a title. Groups:
   * `value` (what is said), `topic` (about what), `other` (the less preferred choice), `scope`
   * (where it holds), `who` (the person it is about).
   */
  readonly pattern: RegExp;
  readonly key?: KeyKind | undefined;
  /** An additional condition on `value`, where case matters. */
  readonly value?: RegExp;
  /**
   * An additional condition on `who`, because a name begins with a capital. If it fails, the next
   * rule is tried.
   */
  readonly who?: RegExp;
  /**
   * Whether the statement tells the assistant what to do. Then it must not be the second half of a
   * clause about somebody else.
   */
  readonly imperative?: boolean;
  /**
   * Whether the statement holds although it points at something at hand ("I work at this company").
   */
  readonly lasting?: boolean;
  /** Whether the statement ends where the pattern ends. */
  readonly cut?: boolean;
}

/** The rules of one language: data, read by `capture-facts.ts`. */
export interface LanguageRules {
  /**
   * Common words of the language. The patterns are tried only on sentences with such a word, which
   * spares all the others.
   */
  readonly hints: RegExp;
  /**
   * The subject that is put before a statement whose subject is in the clause before ("I live in
   * Berlin and work at Siemens").
   */
  readonly subject: string;
  /** Matches a statement that begins with the subject. */
  readonly withSubject: RegExp;
  /**
   * Matches the places where a sentence is cut. Group `weak`: the clauses are joined by "and"
   * alone. Group `carry`: the next clause has no subject of its own.
   */
  readonly breaks: RegExp;
  /**
   * Matches one more place to cut a sentence that begins with a condition: before a trigger, where
   * no comma stands. Such a sentence is cut there once.
   */
  readonly bareBreak?: RegExp;
  /**
   * Matches words such as "Please", "also", "by the way" before a clause. They are removed one at a
   * time.
   */
  readonly leadIn: RegExp;
  /** Matches a clause that is kept together with its lead-in, because its verb comes first. */
  readonly inverted?: RegExp;
  /** Matches "Remember that". The clause after it is kept even if no rule matches. */
  readonly remember: RegExp;
  /**
   * Matches a request to remember at the end of a clause, in languages that put the verb last;
   * group `value`.
   */
  readonly rememberAtEnd?: RegExp;
  /** Matches "when", "if", "for": a beginning of a sentence that belongs to the clause after it. */
  readonly condition: RegExp;
  /** Matches the text before a colon when the speaker continues in his own words. */
  readonly ownColon: RegExp;
  /** Matches, before a clause, that somebody else says it, or that it is doubted or denied. */
  readonly reported: RegExp;
  /** Matches, after a clause, that somebody else said it. */
  readonly reportedAfter: RegExp;
  /** Matches, anywhere in a sentence, that it is made up. */
  readonly hypothetical: RegExp;
  /**
   * Matches a sentence that is a question as a whole. A sentence that only ends in a question is
   * cut first.
   */
  readonly question: RegExp;
  /** Matches a statement about a single occasion or thing. */
  readonly once: RegExp;
  /** Matches a value that means nothing without the text before. */
  readonly pointing: RegExp;
  /** Matches the place from which the message is a text that somebody else may have written. */
  readonly paste: RegExp;
  /** Matches words at the end of a statement. They are removed one at a time. */
  readonly tail: RegExp;
  /** Matches whole words that make no difference to the subject of a key. Finds all matches. */
  readonly filler: RegExp;
  /**
   * Matches a scope that covers everything said here ("in this company", "in your answers"). It
   * makes no difference to a key either.
   */
  readonly everywhere: RegExp;
  /** Matches labels before a colon at the start of a line that are not a speaker's name. */
  readonly ownLabel: RegExp;
  readonly rules: readonly CaptureRule[];
  /**
   * Rules tried on a sentence before it is cut ("when I say X, do Y"), because the text after the
   * comma is not a statement of its own.
   */
  readonly wholeRules?: readonly CaptureRule[];
}

/**
 * The letters of languages that separate words by spaces. Unicode classes would make each pattern
 * ten times as slow.
 */
const LETTER = String.raw`[\w\u00C0-\u024F]`;
/** Replaces JavaScript's `\b`, which knows only ASCII and would find "ber" in "über". */
const WORD_EDGE = `(?:(?<!${LETTER})(?=${LETTER})|(?<=${LETTER})(?!${LETTER}))`;

/**
 * Creates a pattern over text prepared by `ownWords`: straight apostrophes, single spaces. Line
 * breaks in the source are removed. `\b` recognises accented letters.
 *
 * Patterns contain no nested repetition, and every open length has an upper bound, so that hostile
 * text cannot make them slow (test/ingest/capture/patterns.test.ts).
 */
export function pattern(strings: TemplateStringsArray, ...parts: readonly string[]): RegExp {
  return new RegExp(sourceOf(strings, parts), "diu");
}

/** Creates a pattern that is used for all its matches. */
export function everyPattern(strings: TemplateStringsArray, ...parts: readonly string[]): RegExp {
  return new RegExp(sourceOf(strings, parts), "dgiu");
}

/** Creates a piece of a pattern, for use in other patterns. */
export function part(strings: TemplateStringsArray, ...parts: readonly string[]): string {
  return String.raw(strings, ...parts);
}

function sourceOf(strings: TemplateStringsArray, parts: readonly string[]): string {
  return String.raw(strings, ...parts)
    .replace(/\n\s*/g, "")
    .replaceAll(String.raw`\b`, WORD_EDGE);
}
