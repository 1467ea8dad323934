import type { Clock } from "../../base/clock.ts";
import { type Coalescer, createCoalescer } from "../../base/coalesce-requests.ts";
import { createFairSlots, type FairSlots } from "../../base/fair-slots.ts";
import type { Logger } from "../../base/logger.ts";
import type { KnownFile, LiveGenerations } from "../../db/agent/schema/generations.ts";
import type { AgentLookup } from "../../db/control/agents.ts";
import type { Database } from "../../db/database.ts";
import type { AgentMigration } from "../../db/migrate/agent.ts";
import { takingLong } from "../../db/pg-limits.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { JobQueue } from "../../queue/queue.ts";
import type { Caller as AccessCaller } from "../../settings/access.ts";
import type { ServiceDefaults } from "../../settings/service-defaults.ts";
import type { Activity } from "./activity.ts";

/** The caller of a use case, under the name that the edges use. */
export type Caller = AccessCaller;

/** The dependencies of every use case. */
export interface CoreDeps {
  readonly db: Database;
  readonly queue: JobQueue;
  /** Lookups that concurrent requests share. */
  readonly coalesced: CoalescedRequests;
  /**
   * Turns, by tenant, for work that holds up to a whole memory in this process, such as a rollback.
   */
  readonly wholeMemories: FairSlots;
  /** The settings, agents, bindings and limits of the operator's files. */
  readonly defaults: ServiceDefaults;
  /** The agent migrations that this binary knows. */
  readonly migrations: readonly AgentMigration[];
  /** The version of this program. */
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Records who uses an agent's memory. */
  readonly activity: Activity;
}

/**
 * Lookups that concurrent requests share. A request never gets data that is older than the request.
 */
interface CoalescedRequests {
  /** Agents, by tenant and id. */
  readonly agents: Coalescer<string, AgentLookup | undefined>;
  /** Generations and files before a write, by schema. */
  readonly files: Coalescer<readonly string[], { live: LiveGenerations; files: ReadonlyMap<string, KnownFile> }>;
  /**
   * Runs that index an agent's sessions, by schema. The answer has the keys of the sessions that
   * are indexed.
   */
  readonly sessions: Coalescer<string, ReadonlySet<string>>;
  /** Cached vectors of hashes, by tenant and model. */
  readonly embeddings: Coalescer<readonly string[], ReadonlyMap<string, Float32Array>>;
}

/**
 * The longest time that a run of session indexing waits for the run before it. The runs write, so
 * concurrent runs would wait for each other in the database, each holding a connection.
 */
const INDEX_WAIT_MS = 2000;

export function createCoalescedRequests(): CoalescedRequests {
  return {
    agents: createCoalescer(),
    files: createCoalescer(),
    sessions: createCoalescer(INDEX_WAIT_MS),
    embeddings: createCoalescer(),
  };
}

/**
 * Creates the turns for work on whole memories. A tenant runs one such task at a time, so that its
 * requests together hold no more memory than one does, and another tenant finds a free slot.
 * Statements on a whole memory may take as long as a job's.
 */
export function createWholeMemories(): FairSlots {
  const slots = createFairSlots({ total: 2, each: 1 });
  return { run: (owner, task) => slots.run(owner, () => takingLong(task)) };
}
