import type { AgentInUse } from "../../db/control/agents.ts";
import type { CoreDeps } from "../core/core-deps.ts";

/** The hooks of jobs that maintain indexes. */
export interface IndexHooks {
  /**
   * Enqueues the jobs of a feature that are due for an agent. The schedule calls it once a minute
   * for every enabled agent.
   *
   * @param fallsDue returns whether work that repeats at this interval is due in this minute. The
   *   key spreads the work of many agents over the interval
   */
  scheduleAgent(
    deps: CoreDeps,
    agent: AgentInUse,
    fallsDue: (key: string, intervalMinutes: number) => boolean,
  ): Promise<void>;
}
