import type { FileOriginal } from "../../db/agent/files/original.ts";
import type { AgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import type { UsageDelta } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Claim } from "./file-origins.ts";
import type { PreparedChunk, PreparedFile } from "./prepared-file.ts";

export interface WrittenFile {
  path: string;
  hash: string;
  status: "created" | "updated" | "unchanged";
  chunks: number;
  /** The number of chunks without an embedding yet. Keyword search finds them. */
  pendingEmbeddings: number;
}

export interface WriteAnswer {
  files: WrittenFile[];
  deleted: string[];
}

/**
 * The expected state of files before a write or deletion: a hash, `*` for any content, or null for
 * no file.
 */
export type ExpectedHashes = ReadonlyMap<string, string | null>;

export type PreparedWrite = Omit<PreparedFile, "chunks"> & {
  path: string;
  content: string;
  mtime: Date;
  day: string | undefined;
  origin: string | null;
  original: FileOriginal | null;
};

/** A generation with the chunks of each file under its settings, and their cached embeddings. */
export interface Plan {
  generation: Generation;
  chunks: Map<string, readonly PreparedChunk[]>;
  cached: ReadonlyMap<string, Float32Array>;
}

/** Further work in the transaction of a batch. */
export interface Alongside {
  /** Runs first, before anything is locked. */
  begin(tx: AgentTransaction): Promise<void>;
  /**
   * Runs as the agent's role, after the files are written.
   *
   * @returns the change of the agent's usage, and the number of chunks that wait for embeddings
   */
  write(tx: AgentTransaction, live: readonly Generation[]): Promise<{ added: UsageDelta; pending: number }>;
  /** Runs as the service. */
  conclude(service: SqlExecutor): Promise<void>;
}

/** A batch of writes to commit, all or nothing. */
export interface WriteBatch {
  caller: Caller;
  changed: readonly PreparedWrite[];
  /** Unchanged files that the batch's origin may adopt. */
  same: readonly { path: string; hash: string }[];
  toDelete: readonly string[];
  plans: readonly Plan[];
  expected: ExpectedHashes;
  claim: Claim | undefined;
  alongside?: Alongside | undefined;
  answer(pending: ReadonlyMap<string, number>, deleted: readonly string[]): WriteAnswer;
}

export type Committed = WriteAnswer | "generations changed";
