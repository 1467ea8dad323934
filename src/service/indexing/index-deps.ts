import type { Registered } from "../core/hooks.ts";
import type { FileHooks, HookedFileDeps } from "../files/file-hooks.ts";
import type { IndexHooks } from "./index-hooks.ts";

/** The dependencies of jobs that maintain indexes. */
export interface IndexDeps extends HookedFileDeps {
  readonly hooks: Registered<FileHooks & IndexHooks>;
  /** The number of an agent's chunks from which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
}
