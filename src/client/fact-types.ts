import type { MessageInput } from "./message-types.ts";
import type { FactCategory, FactScope, HitExplanation, SearchDebug, SearchMode, Source } from "./search-types.ts";

/** How fast a fact loses weight: never, or by half in 365, 30, 1 and ¼ days, unless the agent's settings say otherwise. */
export type DecayClass = "permanent" | "stable" | "active" | "session" | "transient";

/** One statement, with the time in which it holds. Times are ISO 8601. */
export interface Fact {
  id: string;
  text: string;
  /** What it is about, such as `user.name`. */
  key?: string | undefined;
  category: FactCategory;
  /** 0 to 1. */
  importance: number;
  scope: FactScope;
  tags: string[];
  source: FactSource;
  decayClass: DecayClass;
  validFrom: string;
  /** Until when it held; absent of a fact that holds. */
  validTo?: string | undefined;
  /** The id of the fact that took its place. */
  supersededBy?: string | undefined;
  endedBy?: "key" | "supersede" | "update" | undefined;
  expiresAt?: string | undefined;
  createdAt: string;
  updatedAt: string;
  confirmedAt: string;
}

/** Where a fact comes from; `by` is the key that stored it. */
export type FactSource =
  | { kind: "call"; by: string; note?: string | undefined }
  | { kind: "message"; by: string; session: string; message?: number | undefined }
  | { kind: "file"; by: string; path: string; startLine?: number | undefined; endLine?: number | undefined };

/** Where a fact comes from, as its sender names it. */
export type FactSourceInput =
  | { kind: "call"; note?: string | undefined }
  | { kind: "message"; session: string; message?: number | undefined }
  | { kind: "file"; path: string; startLine?: number | undefined; endLine?: number | undefined };

/** A fact to store. */
export interface FactInput {
  /** One self-contained sentence, with names instead of pronouns; at most 2,000 characters. */
  text: string;
  /** What it is about, such as `user.name`; the next fact with this key takes its place. */
  key?: string | undefined;
  /** Default: `fact`. */
  category?: FactCategory | undefined;
  /** How much it matters, 0 to 1; default: 0.5. */
  importance?: number | undefined;
  /** Whom and what it is for; default: everybody. */
  scope?: FactScope | undefined;
  /** At most 20. */
  tags?: readonly string[] | undefined;
  source?: FactSourceInput | undefined;
  /** Default: `stable`. */
  decayClass?: DecayClass | undefined;
  /** Since when it holds, as an ISO 8601 time; default: now. */
  validFrom?: string | undefined;
  /** Until when it holds, as an ISO 8601 time; default: no known end. */
  expiresAt?: string | undefined;
  /** Ids of facts whose place it takes. */
  supersedes?: readonly string[] | undefined;
}

/** The changes to a fact; a new text makes a new version, with an id of its own. */
export interface FactChange {
  text?: string | undefined;
  category?: FactCategory | undefined;
  importance?: number | undefined;
  tags?: readonly string[] | undefined;
  decayClass?: DecayClass | undefined;
  /** Null: no known end. */
  expiresAt?: string | null | undefined;
}

/** What became of a fact that was sent. */
export interface StoredFact {
  /** Its own id, or that of the fact that says the same. */
  id: string;
  status: "stored" | "duplicate";
  /** The facts that it ended. */
  superseded: string[];
}

/** What became of a list of facts, in its order. */
export interface StoredFacts {
  facts: StoredFact[];
}

/** What became of a change; `id` is that of the version that holds. */
export interface ChangedFact {
  id: string;
  status: "updated" | "stored" | "duplicate";
  superseded: string[];
}

export interface FactSearchOptions {
  /** Most facts, at most 100. */
  maxResults?: number | undefined;
  /** Leave out facts below this score, 0 to 1. */
  minScore?: number | undefined;
  /** What was believed then, as an ISO 8601 time. */
  asOf?: string | undefined;
  /** Whom it is for: facts of others are left out; default: everybody's. */
  scope?: FactScope | undefined;
  categories?: readonly FactCategory[] | undefined;
  /** Only facts with all of these tags. */
  tags?: readonly string[] | undefined;
  /** Only facts of at least this importance, 0 to 1. */
  minImportance?: number | undefined;
  /** Say how each fact was ranked, and what both arms found. */
  explain?: boolean | undefined;
}

/** What a search of facts is asked. */
export interface FactSearch extends FactSearchOptions {
  query: string;
}

/** A fact that was found. */
export interface FactHit extends Fact {
  score: number;
  vectorScore?: number | undefined;
  textScore?: number | undefined;
  explain?: HitExplanation | undefined;
}

export interface FoundFacts {
  /** Best first. */
  facts: FactHit[];
  mode: SearchMode;
  warning?: string | undefined;
  debug?: SearchDebug | undefined;
}

/** Which facts are listed. */
export interface FactFilter {
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  key?: string | undefined;
  tag?: string | undefined;
  category?: FactCategory | undefined;
  minImportance?: number | undefined;
  /** What held then, as an ISO 8601 time. */
  asOf?: string | undefined;
  /** Those that hold no more too. */
  all?: boolean | undefined;
  /** Rows of a page. */
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

/** The ids of the versions that are gone. */
export interface ForgottenFacts {
  forgotten: string[];
}

export interface RecallInput {
  /** What the user says. */
  message: string;
  /** The speaker and place; facts and conversations of others are never recalled. */
  scope?: FactScope | undefined;
  /** Default: 5. */
  maxFacts?: number | undefined;
  /** Default: 5; 0 recalls facts alone. */
  maxQuotes?: number | undefined;
  /** Leave out facts whose cosine distance is larger, 0 to 2. */
  maxDistance?: number | undefined;
  /** Most characters of the block; default: 4,000. */
  maxChars?: number | undefined;
}

/** A fact that bears on a message. */
export interface RecalledFact extends Fact {
  score: number;
  /** The cosine distance. */
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
  /** When the last of its messages was said; of a conversation. */
  at?: string | undefined;
}

export interface Recalled {
  /** Best first. */
  facts: RecalledFact[];
  quotes: RecalledQuote[];
  /** Both as a text for the prompt; empty when nothing bears on the message. */
  block: string;
  /** How many facts and quotes are in the block. */
  shown: number;
  shownQuotes: number;
  mode: SearchMode;
  warning?: string | undefined;
}

/** A turn to take facts from, which is not stored itself. */
export interface CaptureInput {
  /** At most 50, in order. */
  messages: readonly MessageInput[];
  /** The speaker and place; default: the scope of the session, else facts for everybody. */
  scope?: FactScope | undefined;
  /** The session that the facts name as their source. */
  session?: string | undefined;
  /** Show what would be stored, and store nothing. */
  dryRun?: boolean | undefined;
}

/** A statement that was found in a turn. */
export interface CapturedFact {
  /** Absent in a dry run, as `status` is. */
  id?: string | undefined;
  status?: "stored" | "duplicate" | undefined;
  text: string;
  category: FactCategory;
  key?: string | undefined;
  /** The rule that matched. */
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
