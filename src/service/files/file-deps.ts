import type { CommitQueues } from "../core/commit-together.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import type { Committed, Work } from "./file-work.ts";
import type { FilePreparer } from "./prepare-file.ts";

/** What a use case works with that stores texts. */
export interface FileDeps extends EmbeddingDeps {
  readonly preparer: FilePreparer;
  /** Writes of files that wait for others of their agent, by schema. */
  readonly fileCommits: CommitQueues<Work, Committed>;
}
