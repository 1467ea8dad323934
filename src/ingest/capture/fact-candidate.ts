import type { FactCategory } from "../../db/agent/facts/facts.ts";

/** The importance of a captured statement, as documented in the API. */
export const CAPTURED_IMPORTANCE = 0.8;

/** The longest statement that is kept, in characters. */
export const MAX_FACT_CHARS = 500;

/** The facts that a statement ends beside the facts with its own key, in its own scope only. */
export interface Ending {
  /** Keys. A key that ends in a colon or an @ stands for all keys that begin so, the empty key for facts without one. */
  readonly keys: readonly string[];
  /** The value that a fact must mention to end; undefined: every fact with the key ends. */
  readonly says?: string | undefined;
  /** Whether only facts that forbid something end. A permission that ends no fact is stored as past. */
  readonly permits?: boolean | undefined;
  /** The name that a fact about somebody's life (`life:`) must mention, too. */
  readonly who?: string | undefined;
  /**
   * The values of a decision that takes another back. Facts of these keys, and facts without a key, end if they gave up
   * `kept` or chose `chosen`: "we're leaving Nginx, going with Envoy" before "we stay with Nginx".
   */
  readonly undoes?: { readonly kept?: string | undefined; readonly chosen?: string | undefined } | undefined;
  /** The ids of facts that end too, whatever their keys. */
  readonly ids?: readonly string[] | undefined;
}

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
