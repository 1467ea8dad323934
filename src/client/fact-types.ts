import type { MessageInput } from "./message-types.ts";
import type { FactCategory, FactScope, HitExplanation, SearchDebug, SearchMode, Source } from "./search-types.ts";

/**
 * How fast a fact loses weight: never, or by half in 365, 30, 1 or ¼ days. The agent's settings can
 * change these times.
 */
export type DecayClass = "permanent" | "stable" | "active" | "session" | "transient";

/** One statement, with the time span in which it holds. Times are ISO 8601. */
export interface Fact {
  id: string;
  text: string;
  /** The subject of the fact, such as `user.name`. */
  key?: string | undefined;
  category: FactCategory;
  /** The importance, 0 to 1. */
  importance: number;
  scope: FactScope;
  tags: string[];
  source: FactSource;
  decayClass: DecayClass;
  validFrom: string;
  /** The time until which the fact held; absent while it holds. */
  validTo?: string | undefined;
  /** The id of the fact that replaced this one. */
  supersededBy?: string | undefined;
  endedBy?: "key" | "supersede" | "update" | undefined;
  expiresAt?: string | undefined;
  createdAt: string;
  updatedAt: string;
  confirmedAt: string;
}

/** The source of a fact. `by` is the key that stored the fact. */
export type FactSource =
  | { kind: "call"; by: string; note?: string | undefined }
  | { kind: "message"; by: string; session: string; message?: number | undefined }
  | { kind: "file"; by: string; path: string; startLine?: number | undefined; endLine?: number | undefined };

/** The source of a fact, as the sender states it. */
export type FactSourceInput =
  | { kind: "call"; note?: string | undefined }
  | { kind: "message"; session: string; message?: number | undefined }
  | { kind: "file"; path: string; startLine?: number | undefined; endLine?: number | undefined };

/** A fact to store. */
export interface FactInput {
  /** One self-contained sentence, with names instead of pronouns; at most 2,000 characters. */
  text: string;
  /** The subject of the fact, such as `user.name`. The next fact with this key replaces it. */
  key?: string | undefined;
  /** Default: `fact`. */
  category?: FactCategory | undefined;
  /** How important the fact is, 0 to 1; default: 0.5. */
  importance?: number | undefined;
  /** The user, agent and session that the fact is for; default: everybody. */
  scope?: FactScope | undefined;
  /** The tags, at most 20. */
  tags?: readonly string[] | undefined;
  source?: FactSourceInput | undefined;
  /** Default: `stable`. */
  decayClass?: DecayClass | undefined;
  /** The time from which the fact holds, as an ISO 8601 time; default: now. */
  validFrom?: string | undefined;
  /** The time until which the fact holds, as an ISO 8601 time; default: no known end. */
  expiresAt?: string | undefined;
  /** The ids of the facts that this fact replaces. */
  supersedes?: readonly string[] | undefined;
}

/** The changes to a fact. A new text makes a new version, which has an id of its own. */
export interface FactChange {
  text?: string | undefined;
  category?: FactCategory | undefined;
  importance?: number | undefined;
  tags?: readonly string[] | undefined;
  decayClass?: DecayClass | undefined;
  /** The time until which the fact holds; null: no known end. */
  expiresAt?: string | null | undefined;
}

/** The result for one fact that was sent. */
export interface StoredFact {
  /** The id of the stored fact, or of the existing fact with the same statement. */
  id: string;
  status: "stored" | "duplicate";
  /** The ids of the facts that this fact ended. */
  superseded: string[];
}

/** The results for a list of facts, in the order of the list. */
export interface StoredFacts {
  facts: StoredFact[];
}

/** The result of a change. `id` is the id of the version that now holds. */
export interface ChangedFact {
  id: string;
  status: "updated" | "stored" | "duplicate";
  superseded: string[];
}

export interface FactSearchOptions {
  /** The maximum number of facts, at most 100. */
  maxResults?: number | undefined;
  /** The lowest score to include, 0 to 1. */
  minScore?: number | undefined;
  /** The time whose facts to search, as an ISO 8601 time. Finds what was believed at that time. */
  asOf?: string | undefined;
  /**
   * The user, agent and session to search for. Facts for others are left out; default: everybody's
   * facts.
   */
  scope?: FactScope | undefined;
  categories?: readonly FactCategory[] | undefined;
  /** The tags that a fact must have, all of them. */
  tags?: readonly string[] | undefined;
  /** The lowest importance to include, 0 to 1. */
  minImportance?: number | undefined;
  /** Whether to explain the rank of each fact and list the results of both arms. */
  explain?: boolean | undefined;
}

/** The input of a search for facts. */
export interface FactSearch extends FactSearchOptions {
  query: string;
}

/** A fact that a search found. */
export interface FactHit extends Fact {
  score: number;
  vectorScore?: number | undefined;
  textScore?: number | undefined;
  explain?: HitExplanation | undefined;
}

export interface FoundFacts {
  /** The facts, best first. */
  facts: FactHit[];
  mode: SearchMode;
  warning?: string | undefined;
  debug?: SearchDebug | undefined;
}

/** The filter for a list of facts. */
export interface FactFilter {
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  key?: string | undefined;
  tag?: string | undefined;
  category?: FactCategory | undefined;
  minImportance?: number | undefined;
  /** The time whose facts to list, as an ISO 8601 time. */
  asOf?: string | undefined;
  /** Whether to list facts that no longer hold, too. */
  all?: boolean | undefined;
  /** The number of rows per page. */
  limit?: number | undefined;
}

export interface FactPage {
  facts: Fact[];
  nextCursor?: string | undefined;
}

/** The versions of a fact, oldest first. */
export interface FactHistory {
  facts: Fact[];
}

/** The result of forgetting a fact: the ids of the deleted versions. */
export interface ForgottenFacts {
  forgotten: string[];
}

export interface RecallInput {
  /** The user's message. */
  message: string;
  /** The speaker and the place. Facts and conversations of others are never recalled. */
  scope?: FactScope | undefined;
  /** The maximum number of facts; default: 5. */
  maxFacts?: number | undefined;
  /** The maximum number of quotations; default: 5. With 0, only facts are recalled. */
  maxQuotes?: number | undefined;
  /** The largest cosine distance at which a fact is still recalled, 0 to 2. */
  maxDistance?: number | undefined;
  /** The maximum number of characters of the block; default: 4,000. */
  maxChars?: number | undefined;
}

/** A fact that bears on a message. */
export interface RecalledFact extends Fact {
  score: number;
  /** The cosine distance from the message. */
  distance?: number | undefined;
}

/** A passage that bears on a message. */
export interface RecalledQuote {
  path: string;
  startLine: number;
  endLine: number;
  source: Source;
  score: number;
  text: string;
  citation: string;
  /** In a quotation from a conversation, the time of its last message. */
  at?: string | undefined;
}

export interface Recalled {
  /** The facts, best first. */
  facts: RecalledFact[];
  quotes: RecalledQuote[];
  /**
   * The facts and quotations as one text for the prompt; empty when nothing bears on the message.
   */
  block: string;
  /** The number of facts in the block. `shownQuotes` is the number of quotations in it. */
  shown: number;
  shownQuotes: number;
  mode: SearchMode;
  warning?: string | undefined;
}

/** A turn to extract facts from. The turn itself is not stored. */
export interface CaptureInput {
  /** The messages of the turn in order, at most 50. */
  messages: readonly MessageInput[];
  /**
   * The speaker and the place. Default: the session's scope; without a session, the facts are for
   * everybody.
   */
  scope?: FactScope | undefined;
  /** The session that is recorded as the source of the facts. */
  session?: string | undefined;
  /** Whether to show what would be stored, and store nothing. */
  dryRun?: boolean | undefined;
}

/** A statement that was found in a turn. */
export interface CapturedFact {
  /** The fact's id. `id` and `status` are absent in a dry run. */
  id?: string | undefined;
  status?: "stored" | "duplicate" | undefined;
  text: string;
  category: FactCategory;
  key?: string | undefined;
  /** The capture rule that matched. */
  trigger: string;
  superseded: string[];
}

export interface Captured {
  facts: CapturedFact[];
  stored: number;
  duplicates: number;
  superseded: number;
  warnings: string[];
}
