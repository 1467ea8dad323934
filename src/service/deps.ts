import type { LRUCache } from "lru-cache";
import type { Caller as AccessCaller } from "../agents/access.ts";
import type { ServiceDefaults } from "../agents/service-defaults.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { SegmentCache } from "../db/agent/keyword/segments/keyword-segments.ts";
import type { RateLimiter } from "../db/control/rate-limiter.ts";
import type { Database } from "../db/database.ts";
import type { AgentMigration } from "../db/migrate/agent.ts";
import type { Models } from "../models/open-models.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { JobQueue } from "../queue/queue.ts";
import type { CommitQueues } from "./core/commit-together.ts";
import type { SharedQuestions } from "./core/shared-questions.ts";
import type { Embedders } from "./embedding/embedder-of.ts";
import type { QueryUsage } from "./embedding/embedding-usage.ts";
import type { Committed, Work } from "./files/commit-files.ts";
import type { FilePreparer } from "./files/prepare-file.ts";
import type { SearchOutput } from "./search/search-memory.ts";

/** Who asks; the edges know it by this name. */
export type Caller = AccessCaller;

/** What every use case works with; made once by start/compose.ts. */
export interface Deps {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly embedders: Embedders;
  readonly preparer: FilePreparer;
  /** Writes of files that wait for others of their agent, by schema. */
  readonly fileCommits: CommitQueues<Work, Committed>;
  /** Questions that requests under way have in common. */
  readonly together: SharedQuestions;
  /** What the operator's files say: settings, agents, bindings, limits. */
  readonly defaults: ServiceDefaults;
  /** The agent migrations this binary knows. */
  readonly migrations: readonly AgentMigration[];
  readonly rateLimiter: RateLimiter;
  /** Requests a minute of a key that says nothing else. */
  readonly requestsPerMinute: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Query vectors in pgvector's binary form, by agent, embedder and query hash. */
  readonly queryVectors: LRUCache<string, Uint8Array>;
  /** When a search last asked for a sync, in milliseconds, by schema. */
  readonly searchSyncs: LRUCache<string, number>;
  /** Counts what searches ask of providers. */
  readonly queryUsage: QueryUsage;
  /** What searches answered, by all that decides it. */
  readonly searchAnswers: LRUCache<string, SearchOutput>;
  /** Posting lists of the keyword arm, of all agents. */
  readonly segmentCache: SegmentCache;
  /** What an archive may unpack to. */
  readonly archiveMaxBytes: number;
  /** Chunks of one agent at which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
  /** How long a search waits for its query's embedding before it answers by keyword. */
  readonly queryEmbedTimeoutMs: number;
  /** Chat models and rerankers. */
  readonly models: Models;
  /** How long a search waits for one of them before it goes on without. */
  readonly modelTimeoutMs: number;
}
