import type { GroupCommits, Turns } from "../core/group-commit.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import type { FilePreparer } from "./prepare-file.ts";
import type { Committed, WriteBatch } from "./write-batch.ts";

/** The dependencies of use cases that store texts. */
export interface FileDeps extends EmbeddingDeps {
  readonly preparer: FilePreparer;
  /** The group commits of files, by schema. */
  readonly fileCommits: GroupCommits<WriteBatch, Committed>;
  /**
   * The queues of writers of facts, by schema. In the database they would wait for each other and
   * hold a connection each.
   */
  readonly factTurns: Turns;
}
