import type { FactCategory } from "../../db/agent/facts/facts.ts";

/** The importance of a captured statement, as the API documents it. */
export const CAPTURED_IMPORTANCE = 0.8;

/** Longest statement that is kept, in characters. */
export const MAX_FACT_CHARS = 500;

/** A statement that may become a fact. */
export interface FactCandidate {
  readonly text: string;
  readonly category: FactCategory;
  /** 0 to 1. */
  readonly importance: number;
  /** The newer of two facts with one key supersedes the older. */
  readonly key?: string | undefined;
  /** The rule that found it, or `model`. */
  readonly trigger: string;
  /** Index into the messages that were given. */
  readonly messageIndex: number;
  /** Where it stands in that message's text; `end` exclusive. */
  readonly range: { readonly start: number; readonly end: number };
}
