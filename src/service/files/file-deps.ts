import type { GroupCommits } from "../core/group-commit.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import type { FilePreparer } from "./prepare-file.ts";
import type { Committed, WriteBatch } from "./write-batch.ts";

/** What a use case works with that stores texts. */
export interface FileDeps extends EmbeddingDeps {
  readonly preparer: FilePreparer;
  /** Writes of files that wait for others of their agent, by schema. */
  readonly fileCommits: GroupCommits<WriteBatch, Committed>;
}
