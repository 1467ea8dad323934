import type { LRUCache } from "lru-cache";
import type { SegmentCache } from "../../db/agent/segments/segments.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import type { FilePreparer } from "../files/prepare-file.ts";
import type { SearchOutput } from "./search-schemas.ts";
import type { SharedProfiles } from "./shared-profiles.ts";

/** The dependencies of use cases that search. */
export interface SearchDeps extends EmbeddingDeps {
  /** Cuts old file versions into passages, for searches at an earlier time. */
  readonly preparer: FilePreparer;
  /** The cached answers of searches. */
  readonly searchAnswers: LRUCache<string, SearchOutput>;
  /** The posting lists of the keyword arm, of all agents. */
  readonly segmentCache: SegmentCache;
  readonly sharedProfiles: SharedProfiles;
  /** The time of the last sync that a search requested, in milliseconds, by schema. */
  readonly searchSyncs: LRUCache<string, number>;
  /** The time limit of a search's statements. */
  readonly searchTimeoutMs: number;
}
