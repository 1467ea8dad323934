import type { FileDeps } from "../files/file-deps.ts";

/** What a job works with that looks after indexes. */
export interface IndexDeps extends FileDeps {
  /** Chunks of one agent at which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
}
