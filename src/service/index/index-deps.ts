import type { DocumentDeps } from "../documents/write-document.ts";

/** The dependencies of jobs that maintain indexes. */
export interface IndexDeps extends DocumentDeps {
  /** The number of an agent's chunks from which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
  /** The settings of scheduled archives; undefined: none are written. */
  readonly exports: ScheduledExports | undefined;
}

export interface ScheduledExports {
  /** The operator's folder for archives. */
  readonly folder: string;
  readonly intervalHours: number;
  /** The number of archives that are kept of each agent. */
  readonly keep: number;
  /** The version of Recollect that archives name. */
  readonly service: string;
}
