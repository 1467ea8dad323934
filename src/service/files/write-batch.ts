import type { Generation } from "../../db/agent/space/generations.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Claim } from "./file-origins.ts";
import type { PreparedChunk, PreparedFile } from "./prepared-file.ts";

export interface WrittenFile {
  path: string;
  hash: string;
  status: "created" | "updated" | "unchanged";
  chunks: number;
  /** Chunks whose embedding is still to be made; they are found by keyword meanwhile. */
  pendingEmbeddings: number;
}

export interface WriteAnswer {
  files: WrittenFile[];
  deleted: string[];
}

/** What a write or deletion was made up on: the hash that the file had, `*` for whatever it had, or null for no file. */
export type ExpectedHashes = ReadonlyMap<string, string | null>;

export type PreparedWrite = Omit<PreparedFile, "chunks"> & {
  path: string;
  content: string;
  mtime: Date;
  origin: string | null;
};

/** A generation with the chunks of each file under its settings, and what the cache knows of their embeddings. */
export interface Plan {
  generation: Generation;
  chunks: Map<string, readonly PreparedChunk[]>;
  cached: ReadonlyMap<string, Float32Array>;
}

/** What is to be stored, all or nothing, and how to say what became of it. */
export interface WriteBatch {
  caller: Caller;
  changed: readonly PreparedWrite[];
  /** Files that were found to be as they are to be, of a work that is to make them its origin's. */
  same: readonly { path: string; hash: string }[];
  toDelete: readonly string[];
  plans: readonly Plan[];
  expected: ExpectedHashes;
  claim: Claim | undefined;
  answer(pending: ReadonlyMap<string, number>, deleted: readonly string[]): WriteAnswer;
}

export type Committed = WriteAnswer | "generations changed";
