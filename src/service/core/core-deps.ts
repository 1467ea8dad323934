import type { Caller as AccessCaller } from "../../agents/access.ts";
import type { ServiceDefaults } from "../../agents/service-defaults.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Database } from "../../db/database.ts";
import type { AgentMigration } from "../../db/migrate/agent.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { JobQueue } from "../../queue/queue.ts";
import type { CoalescedRequests } from "./coalesced-requests.ts";

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
