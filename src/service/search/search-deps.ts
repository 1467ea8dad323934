import type { LRUCache } from "lru-cache";
import type { SegmentCache } from "../../db/agent/segments/segments.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import type { FilePreparer } from "../files/prepare-file.ts";
import type { SearchOutput } from "./search-schemas.ts";
import type { SharedProfiles } from "./shared-profiles.ts";

/** The dependencies of use cases that search. */
export interface SearchDeps extends EmbeddingDeps {
  /** Cuts versions of files that a search for an earlier time meets. */
  readonly preparer: FilePreparer;
  /** Cached answers of searches. */
  readonly searchAnswers: LRUCache<string, SearchOutput>;
  /** Posting lists of the keyword arm, of all agents. */
  readonly segmentCache: SegmentCache;
  readonly sharedProfiles: SharedProfiles;
  /** When a search last asked for a sync, in milliseconds, by schema. */
  readonly searchSyncs: LRUCache<string, number>;
  /** The time limit of a search's statements. */
  readonly searchTimeoutMs: number;
}
