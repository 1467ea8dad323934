/** The counters of an agent's usage. */
export interface Usage {
  files: number;
  bytes: number;
  chunks: number;
  facts: number;
  /** The bytes of earlier versions of files. `bytes` does not include them. */
  historyBytes: number;
}

/**
 * The limits of an agent or tenant. An absent field means that the agent or tenant has no limit of
 * its own.
 */
export interface Limits {
  files?: number | undefined;
  bytes?: number | undefined;
  chunks?: number | undefined;
  facts?: number | undefined;
  agents?: number | undefined;
}

/** The limits of a tenant, which also cap the requests of all its keys together. */
export interface TenantLimits extends Limits {
  requestsPerMinute?: number | undefined;
}

export interface Agent {
  id: string;
  name: string;
  status: "active" | "disabled" | "creating" | "importing";
  /**
   * The agent's own settings. `settings()` of the agent's client returns the settings that apply.
   */
  settings: Record<string, unknown>;
  limits: Limits;
  usage: Usage;
  schemaVersion: number;
  createdAt: string;
}

/** An agent after a change. */
export interface ChangedAgent extends Agent {
  /** Settings of an OpenClaw configuration that have no effect, and why. */
  warnings?: string[] | undefined;
}

export interface AgentInput {
  id: string;
  name?: string | undefined;
  settings?: object | undefined;
  limits?: object | undefined;
}

/** `settings` and `limits` are JSON merge patches. */
export interface AgentChange {
  name?: string | undefined;
  disabled?: boolean | undefined;
  settings?: object | undefined;
  limits?: object | undefined;
}

export interface AgentPage {
  agents: Agent[];
  nextCursor?: string | undefined;
}

/** The number of items that are indexed so far, and the number of all items. */
export interface Progress {
  indexed: number;
  total: number;
}

/** A new index that is built beside the current one. */
export interface Reindex {
  state: "none" | "building" | "due";
  provider?: string | undefined;
  model?: string | undefined;
  files?: Progress | undefined;
  facts?: Progress | undefined;
  sessions?: Progress | undefined;
  pendingEmbeddings?: number | undefined;
  startedAt?: string | undefined;
}

/** A folder of the server that belongs to an agent's memory. */
export interface ExtraPathStatus {
  path: string;
  pattern?: string | undefined;
  files: number;
  skipped: number;
  failed: number;
  lastSyncAt: string | null;
  error?: string | undefined;
}

/** The number of jobs of one kind. */
export interface JobCounts {
  waiting: number;
  active: number;
  failed: number;
}

export interface AgentStatus {
  agentId: string;
  backend: "postgres" | "pglite";
  provider: string;
  model: string;
  dimensions: number | null;
  fallback: { provider: string; inUse: boolean } | null;
  files: number;
  sessions: number;
  messages: number;
  unindexedMessages: number;
  facts: number;
  chunks: number;
  /** The number of chunks that are found by keyword only, until their embeddings are made. */
  pendingEmbeddings: number;
  /** The number of chunks that the provider refuses to embed. */
  rejectedChunks: number;
  keyword: { ready: boolean; language: string; languages: string[]; statisticsAt: string | null };
  vector: { ready: boolean; index: "none" | "exact" | "hnsw"; unread: string[]; problem?: string | undefined };
  /** Whether some content still waits to be indexed. */
  dirty: boolean;
  lastChangeAt: string | null;
  lastSyncAt: string | null;
  extraPaths: ExtraPathStatus[];
  reindex: Reindex;
  /** The job counts by kind. */
  jobs: Record<string, JobCounts>;
  /**
   * Whether the agent's jobs are taken. False when it has waiting or active jobs and no worker
   * runs.
   */
  workerAlive: boolean;
}

/** The settings that apply to an agent. */
export interface AgentSettings {
  settings: Record<string, unknown>;
  /**
   * The layer that each value comes from, by dotted path: `default`, `user`, `workspace`, `tenant`
   * or `agent`.
   */
  origins: Record<string, string>;
  /** The agent's own settings. */
  own: Record<string, unknown>;
  /** The description of each setting, by dotted path. */
  descriptions: Record<string, string>;
}

/** The API that the tool definitions are for. */
export type ToolFormat = "openai" | "anthropic" | "mcp" | "gemini";

export interface ToolDefinitions {
  format: ToolFormat;
  /** The definitions. Pass them to the model's API unchanged. */
  tools: Record<string, unknown>[];
  /** A section for the system prompt; empty when there are no tools. */
  prompt: string;
}

export interface SyncRequested {
  queued: true;
}

export interface IngestInput {
  /** Globs of the files to read. Default: the setting `facts.ingest.paths`. */
  paths?: readonly string[] | undefined;
  /** Whether to show what would be stored, and store nothing. */
  dryRun?: boolean | undefined;
}

/** A fact that a model found in a file. */
export interface IngestedFact {
  path: string;
  startLine: number;
  text: string;
  importance: number;
}

/** The progress of the last ingest run. */
export interface IngestStatus {
  state: "none" | "running" | "done" | "failed";
  paths?: string[] | undefined;
  dryRun?: boolean | undefined;
  error?: { code: string; message: string } | null | undefined;
  filesTotal?: number | null | undefined;
  filesDone?: number | undefined;
  filesSkipped?: number | undefined;
  piecesDone?: number | undefined;
  /** The number of pieces that an earlier run has already read. */
  piecesKnown?: number | undefined;
  piecesRefused?: number | undefined;
  stored?: number | undefined;
  duplicates?: number | undefined;
  /** The number of lines of the model's answer that are not facts. */
  dropped?: number | undefined;
  /** The facts found in a dry run, at most 500. */
  found?: IngestedFact[] | undefined;
  startedAt?: string | undefined;
  endedAt?: string | null | undefined;
}

/** A text to extract facts from. The text itself is not stored. */
export interface IngestTextInput {
  path: string;
  content: string;
  /** Where to continue: `next` of the last answer. */
  from?: number | undefined;
  dryRun?: boolean | undefined;
}

export interface IngestedText {
  pieces: number;
  /** Where the next call continues, if the text was too long for one request. */
  next?: number | undefined;
  known: number;
  asked: number;
  refused: number;
  stored: number;
  duplicates: number;
  dropped: number;
  facts: IngestedFact[];
}

/**
 * The searches, recalls or captures that one caller made in an agent's memory within a few seconds.
 */
export interface ActivityEntry {
  id: string;
  at: string;
  /** A key's prefix, `local` (no key) or `system`. */
  actor: string;
  /** The key's name; null when the key is gone or belongs to another tenant. */
  keyName: string | null;
  kind: "search" | "recall" | "capture";
  times: number;
  /** The total number of hits, of recalled facts and quotations, or of stored facts. */
  hits: number;
}

export interface ActivityPage {
  activity: ActivityEntry[];
  nextCursor?: string | undefined;
}

/** The number of stored items of each kind. */
export interface StoredAmounts {
  files: number;
  messages: number;
  facts: number;
  chunks: number;
}

export interface StoredThatDay extends StoredAmounts {
  day: string;
}

/**
 * The content that was stored in an agent's memory, by UTC day. Days on which nothing was stored
 * are left out.
 */
export interface Growth {
  from: string;
  to: string;
  /** The amounts that were stored before `from`. */
  before: StoredAmounts;
  days: StoredThatDay[];
}

export interface ImportedAgent {
  id: string;
  files: number;
  sessions: number;
  messages: number;
  facts: number;
  vectors: number;
  vectorsUsed: boolean;
  pendingEmbeddings: number;
}
