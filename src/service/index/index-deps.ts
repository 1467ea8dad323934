import type { DocumentDeps } from "../documents/write-document.ts";

/** The dependencies of jobs that maintain indexes. */
export interface IndexDeps extends DocumentDeps {
  /** Chunks of one agent at which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
}
