import type { FileOriginal } from "../../db/agent/files/original.ts";
import type { AgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import type { Generation } from "../../db/agent/space/generations.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Claim } from "./file-origins.ts";
import type { PreparedChunk, PreparedFile } from "./prepared-file.ts";

export interface WrittenFile {
  path: string;
  hash: string;
  status: "created" | "updated" | "unchanged";
  chunks: number;
  /** Chunks without an embedding yet; they are found by keyword. */
  pendingEmbeddings: number;
}

export interface WriteAnswer {
  files: WrittenFile[];
  deleted: string[];
}

/** The expected state of files before a write or deletion: a hash, `*` for any content, or null for no file. */
export type ExpectedHashes = ReadonlyMap<string, string | null>;

export type PreparedWrite = Omit<PreparedFile, "chunks"> & {
  path: string;
  content: string;
  mtime: Date;
  origin: string | null;
  original: FileOriginal | null;
};

/** A generation with the chunks of each file under its settings, and their cached embeddings. */
export interface Plan {
  generation: Generation;
  chunks: Map<string, readonly PreparedChunk[]>;
  cached: ReadonlyMap<string, Float32Array>;
}

/** What else a transaction has written, and what is left to the service's role. */
export interface AlsoWritten {
  added: { bytes: number; chunks: number; facts: number };
  conclude(service: SqlExecutor): Promise<void>;
}

/** Writes more in the transaction of a batch, after its files. */
export type AlsoWrites = (tx: AgentTransaction, generations: readonly Generation[]) => Promise<AlsoWritten>;

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
  also?: AlsoWrites | undefined;
  answer(pending: ReadonlyMap<string, number>, deleted: readonly string[]): WriteAnswer;
}

export type Committed = WriteAnswer | "generations changed";
