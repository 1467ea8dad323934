/** What is counted of an agent. */
export interface Usage {
  files: number;
  bytes: number;
  chunks: number;
  facts: number;
  /** Of earlier versions of files, which `bytes` does not count. */
  historyBytes: number;
}

/** The most that an agent or tenant may have; absent: no limit of its own. */
export interface Limits {
  files?: number | undefined;
  bytes?: number | undefined;
  chunks?: number | undefined;
  facts?: number | undefined;
  agents?: number | undefined;
}

/** And of a tenant: the requests of all its keys together. */
export interface TenantLimits extends Limits {
  requestsPerMinute?: number | undefined;
}

export interface Agent {
  id: string;
  name: string;
  status: "active" | "disabled" | "creating" | "importing";
  /** Its own; `settings()` of its memory has what applies. */
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

/** How far something is. */
export interface Progress {
  indexed: number;
  total: number;
}

/** A new index, made beside the current one. */
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

/** Jobs of one kind. */
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
  /** Chunks that are found by words only until their embeddings are made. */
  pendingEmbeddings: number;
  /** Chunks that the provider refuses to embed. */
  rejectedChunks: number;
  keyword: { ready: boolean; language: string; languages: string[]; statisticsAt: string | null };
  vector: { ready: boolean; index: "none" | "exact" | "hnsw"; unread: string[]; problem?: string | undefined };
  /** Whether something waits to be indexed. */
  dirty: boolean;
  lastChangeAt: string | null;
  lastSyncAt: string | null;
  extraPaths: ExtraPathStatus[];
  reindex: Reindex;
  /** By kind. */
  jobs: Record<string, JobCounts>;
  /** False: jobs wait, and no worker runs that would take them. */
  workerAlive: boolean;
}

/** The settings that apply to an agent. */
export interface AgentSettings {
  settings: Record<string, unknown>;
  /** By dotted path: `default`, `user`, `workspace`, `tenant` or `agent`. */
  origins: Record<string, string>;
  /** The agent's own. */
  own: Record<string, unknown>;
  /** By dotted path: what it is. */
  descriptions: Record<string, string>;
}

/** Whose API the definitions of tools are for. */
export type ToolFormat = "openai" | "anthropic" | "mcp" | "gemini";

export interface ToolDefinitions {
  format: ToolFormat;
  /** Passed to that API as they are. */
  tools: Record<string, unknown>[];
  /** A section for the system prompt; empty when there are no tools. */
  prompt: string;
}

export interface SyncRequested {
  queued: true;
}

export interface IngestInput {
  /** Globs; default: the setting `facts.ingest.paths`. */
  paths?: readonly string[] | undefined;
  /** Show what would be stored, and store nothing. */
  dryRun?: boolean | undefined;
}

/** What a model found in a file. */
export interface IngestedFact {
  path: string;
  startLine: number;
  text: string;
  importance: number;
}

/** How far the last run is. */
export interface IngestStatus {
  state: "none" | "running" | "done" | "failed";
  paths?: string[] | undefined;
  dryRun?: boolean | undefined;
  error?: { code: string; message: string } | null | undefined;
  filesTotal?: number | null | undefined;
  filesDone?: number | undefined;
  filesSkipped?: number | undefined;
  piecesDone?: number | undefined;
  /** Pieces that an earlier run has read. */
  piecesKnown?: number | undefined;
  piecesRefused?: number | undefined;
  stored?: number | undefined;
  duplicates?: number | undefined;
  /** Lines of the model that are no facts. */
  dropped?: number | undefined;
  /** In a dry run; at most 500. */
  found?: IngestedFact[] | undefined;
  startedAt?: string | undefined;
  endedAt?: string | null | undefined;
}

/** A text to take facts from, which is not kept. */
export interface IngestTextInput {
  path: string;
  content: string;
  /** Where to go on: `next` of the last answer. */
  from?: number | undefined;
  dryRun?: boolean | undefined;
}

export interface IngestedText {
  pieces: number;
  /** Where to go on, when the text was too long for one request. */
  next?: number | undefined;
  known: number;
  asked: number;
  refused: number;
  stored: number;
  duplicates: number;
  dropped: number;
  facts: IngestedFact[];
}

/** What one caller did in an agent's memory within a few seconds. */
export interface ActivityEntry {
  id: string;
  at: string;
  /** A key's prefix, `local` (no key) or `system`. */
  actor: string;
  /** Null when the key is gone or another tenant's. */
  keyName: string | null;
  kind: "search" | "recall" | "capture";
  times: number;
  /** Hits, facts and quotations recalled, or facts stored, in all. */
  hits: number;
}

export interface ActivityPage {
  activity: ActivityEntry[];
  nextCursor?: string | undefined;
}

/** What was stored. */
export interface StoredAmounts {
  files: number;
  messages: number;
  facts: number;
  chunks: number;
}

export interface StoredThatDay extends StoredAmounts {
  day: string;
}

/** What an agent knows by the UTC day on which it was stored; days without anything are left out. */
export interface Growth {
  from: string;
  to: string;
  /** What was stored before `from`. */
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
