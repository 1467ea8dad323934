import type { FileDeps } from "../files/file-deps.ts";

/** The dependencies of jobs that maintain indexes. */
export interface IndexDeps extends FileDeps {
  /** Chunks of one agent at which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
}
