import type { LRUCache } from "lru-cache";
import type { MemorySettings } from "../agents/settings.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { AgentSpace } from "../db/agent/agent-transaction.ts";
import type { Database } from "../db/database.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import type { JobQueue } from "../queue/queue.ts";
import type { FilePreparer } from "./prepare-file.ts";

/** What every use case works with; made once by start/compose.ts. */
export interface Deps {
  readonly db: Database;
  readonly queue: JobQueue;
  /** undefined: provider `none`, keyword search only. */
  readonly embedder: Embedder | undefined;
  readonly preparer: FilePreparer;
  readonly settings: MemorySettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where agents are, by tenant and id. The names never change, so an entry never goes stale. */
  readonly agentSpaces: LRUCache<string, AgentSpace>;
  /** Query vectors as pgvector text, by query hash. */
  readonly queryVectors: LRUCache<string, string>;
  /** Chunks of one agent at which the HNSW index is built. */
  readonly vectorIndexThreshold: number;
  /** How long a search waits for its query's embedding before it answers by keyword. */
  readonly queryEmbedTimeoutMs: number;
}

/** Who asks. Authorisation hangs on it. */
export interface Caller {
  readonly tenantId: string;
}
