import type { FactCategory } from "../../../db/agent/facts/facts.ts";
import type { Ending } from "../../../ingest/plan-facts.ts";

/** The importance of a captured statement, as documented in the API. */
export const CAPTURED_IMPORTANCE = 0.8;

/** A statement that may become a fact. */
export interface FactCandidate {
  readonly text: string;
  readonly category: FactCategory;
  /** From 0 to 1. */
  readonly importance: number;
  /** The key. The newer of two facts with one key supersedes the older. */
  readonly key?: string | undefined;
  /** The stored facts that the statement ends. */
  readonly ends?: Ending | undefined;
  /** The moment from which it holds, if not from when it was said. */
  readonly validFrom?: Date | undefined;
  readonly expiresAt?: Date | undefined;
  /** The ids of stored facts that say the same. */
  readonly restates?: readonly string[] | undefined;
  /** The person or thing that the statement is about; by default the speaker of the message. */
  readonly subject?: string | undefined;
  /** The name of the rule that found the statement, or `model`. */
  readonly trigger: string;
  /** The index into the given messages. */
  readonly messageIndex: number;
  /** The statement's place in that message's text; `end` is exclusive. */
  readonly range: { readonly start: number; readonly end: number };
}
