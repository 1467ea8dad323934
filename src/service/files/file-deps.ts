import type { GroupCommits } from "../core/group-commit.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import type { FilePreparer } from "./prepare-file.ts";
import type { Committed, WriteBatch } from "./write-batch.ts";

/** The dependencies of use cases that store texts. */
export interface FileDeps extends EmbeddingDeps {
  readonly preparer: FilePreparer;
  /** Group commits of files, by schema. */
  readonly fileCommits: GroupCommits<WriteBatch, Committed>;
}
