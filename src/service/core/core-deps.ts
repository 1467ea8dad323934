import type { Caller as AccessCaller } from "../../agents/access.ts";
import type { ServiceDefaults } from "../../agents/service-defaults.ts";
import type { Clock } from "../../base/clock.ts";
import { type Coalescer, createCoalescer } from "../../base/coalesce-requests.ts";
import type { Logger } from "../../base/logger.ts";
import type { LiveGenerations } from "../../db/agent/space/generations.ts";
import type { AgentLookup } from "../../db/control/agents.ts";
import type { KeyLookup } from "../../db/control/api-keys.ts";
import type { Database } from "../../db/database.ts";
import type { AgentMigration } from "../../db/migrate/agent.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { JobQueue } from "../../queue/queue.ts";

/** Who asks; the edges know it by this name. */
export type Caller = AccessCaller;

/** What every use case works with. */
export interface CoreDeps {
  readonly db: Database;
  readonly queue: JobQueue;
  /** Questions that requests under way have in common. */
  readonly coalesced: CoalescedRequests;
  /** What the operator's files say: settings, agents, bindings, limits. */
  readonly defaults: ServiceDefaults;
  /** The agent migrations this binary knows. */
  readonly migrations: readonly AgentMigration[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What requests under way ask together: nobody is answered from before the own request. */
interface CoalescedRequests {
  /** By prefix. */
  readonly keys: Coalescer<string, KeyLookup | undefined>;
  /** By tenant and id. */
  readonly agents: Coalescer<string, AgentLookup | undefined>;
  /** What is to be known of paths before they are written, by schema. */
  readonly files: Coalescer<readonly string[], { live: LiveGenerations; hashes: ReadonlyMap<string, string> }>;
  /** That a session be indexed, by schema and key; whether it is. */
  readonly sessions: Coalescer<string, boolean>;
  /** Cached vectors of hashes, by whose and which they are. */
  readonly embeddings: Coalescer<readonly string[], ReadonlyMap<string, Float32Array>>;
}

export function createCoalescedRequests(): CoalescedRequests {
  return {
    keys: createCoalescer(),
    agents: createCoalescer(),
    files: createCoalescer(),
    sessions: createCoalescer(),
    embeddings: createCoalescer(),
  };
}
