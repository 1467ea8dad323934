import type { Registered } from "../core/hooks.ts";
import type { DocumentDeps } from "../documents/write-document.ts";
import type { IndexHooks } from "./index-hooks.ts";

/** The dependencies of jobs that maintain indexes. */
export interface IndexDeps extends DocumentDeps {
  readonly hooks: Registered<IndexHooks>;
  /** The number of an agent's chunks from which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
}
