import type { FactCategory } from "../../db/agent/facts/facts.ts";

/**
 * How the key of a statement is made of the groups of its pattern; a statement supersedes the earlier one with its key.
 * `preference`, `like`, `use`, … see `fact-key.ts`; `of.birthday` is the birthday of `who`; anything else with a dot is the key itself.
 */
export type KeyKind =
  | ("preference" | "like" | "favourite" | "use" | "do" | "decision" | "entity" | "project" | "allergy" | "when")
  | `of.${string}`
  | `user.${string}`;

/** One way to say something that is worth keeping. */
export interface CaptureRule {
  /** Named in the answer, so that people see why something was kept. */
  readonly trigger: string;
  readonly category: FactCategory;
  /**
   * Matched against a whole clause without its lead-ins, and anchored at its start: a trigger inside a sentence is what
   * somebody else says, a question, or a title. Groups: `value` (what is said), `topic` (about what), `other` (what it is
   * preferred to), `scope` (where it holds), `who` (of whom it is said).
   */
  readonly pattern: RegExp;
  readonly key?: KeyKind | undefined;
  /** What `value` must look like besides, where case matters. */
  readonly value?: RegExp;
  /** What `who` must look like besides: a name begins with a capital. When it does not the next rule is asked. */
  readonly who?: RegExp;
  /** It tells the assistant what to do, so it must not be the second half of what somebody else does. */
  readonly imperative?: boolean;
  /** It holds although it points at something at hand ("I work at this company"). */
  readonly lasting?: boolean;
  /** The statement ends where the pattern ends. */
  readonly cut?: boolean;
}

/** What a language needs to be captured in: data, read by `capture-facts.ts`. */
export interface LanguageRules {
  /** Words of which a sentence in this language has one. Others are not asked about: it spares them all the patterns. */
  readonly hints: RegExp;
  /** Put before a statement whose subject stands in the statement before ("I live in Berlin and work at Siemens"). */
  readonly subject: string;
  /** A statement that begins with the subject. */
  readonly withSubject: RegExp;
  /** Where a sentence is cut. Group `weak`: nothing but "and"; group `carry`: what follows has no subject of its own. */
  readonly breaks: RegExp;
  /** Where a sentence that begins with a condition is cut as well, once: before a trigger, without a comma. */
  readonly bareBreak?: RegExp;
  /** "Please", "also", "by the way": taken off, one at a time. */
  readonly leadIn: RegExp;
  /** A clause that is only told together with its lead-in, because its verb comes first. */
  readonly inverted?: RegExp;
  /** "Remember that": what follows is kept whatever it is. */
  readonly remember: RegExp;
  /** The same at the end of the clause, where verbs stand last; group `value`. */
  readonly rememberAtEnd?: RegExp;
  /** "when", "if", "for": the beginning of a sentence that belongs to what follows it. */
  readonly condition: RegExp;
  /** What stands before a colon when the speaker goes on for himself. */
  readonly ownColon: RegExp;
  /** In front of a clause: somebody else says it, or it is doubted or denied. */
  readonly reported: RegExp;
  /** After a clause: somebody else has said it. */
  readonly reportedAfter: RegExp;
  /** Anywhere in a sentence: it is made up. */
  readonly hypothetical: RegExp;
  /** A sentence that asks as a whole; one that only ends in a question is cut first. */
  readonly question: RegExp;
  /** The statement is about this one time or thing. */
  readonly once: RegExp;
  /** A value that means nothing without what was said before. */
  readonly pointing: RegExp;
  /** From here on the message is a text that somebody else may have written. */
  readonly paste: RegExp;
  /** Taken off the end, one at a time. */
  readonly tail: RegExp;
  /** Words that make no difference to what a key is about, as whole words; asked for all its matches. */
  readonly filler: RegExp;
  /** Where everything holds that is said here ("in this company", "in your answers"): makes no difference to a key either. */
  readonly everywhere: RegExp;
  /** Labels before a colon at the start of a line that are no speaker's name. */
  readonly ownLabel: RegExp;
  readonly rules: readonly CaptureRule[];
  /** Asked about a sentence before it is cut ("when I say X, do Y"): what stands after the comma is no statement of its own. */
  readonly wholeRules?: readonly CaptureRule[];
}

/** Letters of the languages that part words by spaces. The classes of Unicode would make each pattern ten times as slow. */
const LETTER = String.raw`[\w\u00C0-\u024F]`;
/** `\b` of JavaScript knows ASCII alone and would find "ber" in "über". */
const WORD_EDGE = `(?:(?<!${LETTER})(?=${LETTER})|(?<=${LETTER})(?!${LETTER}))`;

/**
 * A pattern over text that `ownWords` prepared: straight apostrophes, single spaces. Written over several lines it is one.
 * `\b` knows accented letters.
 *
 * Patterns repeat nothing that repeats, and what is open in length has an upper bound, so that hostile text cannot make them
 * slow (test/ingest/capture/patterns.test.ts).
 */
export function pattern(strings: TemplateStringsArray, ...parts: readonly string[]): RegExp {
  return new RegExp(sourceOf(strings, parts), "diu");
}

/** The same for a pattern that is asked for all its matches. */
export function everyPattern(strings: TemplateStringsArray, ...parts: readonly string[]): RegExp {
  return new RegExp(sourceOf(strings, parts), "dgiu");
}

/** A piece of a pattern, to be put into others. */
export function part(strings: TemplateStringsArray, ...parts: readonly string[]): string {
  return String.raw(strings, ...parts);
}

function sourceOf(strings: TemplateStringsArray, parts: readonly string[]): string {
  return String.raw(strings, ...parts)
    .replace(/\n\s*/g, "")
    .replaceAll(String.raw`\b`, WORD_EDGE);
}
