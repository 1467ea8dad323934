import type { DocumentDeps } from "../documents/write-document.ts";

/** The dependencies of jobs that maintain indexes. */
export interface IndexDeps extends DocumentDeps {
  /** Chunks of one agent at which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
  /** Archives that are written at intervals; undefined: none. */
  readonly exports: ScheduledExports | undefined;
}

export interface ScheduledExports {
  /** A folder of the operator's. */
  readonly folder: string;
  readonly intervalHours: number;
  /** Archives of an agent that are kept. */
  readonly keep: number;
  /** The version of Recollect that archives name. */
  readonly service: string;
}
