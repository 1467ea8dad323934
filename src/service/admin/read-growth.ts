import { DAY_MS } from "../../base/clock.ts";
import { countByDay, type StoredThatDay } from "../../db/agent/chunks/growth.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { findAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { requireGeneration } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import { dayOf } from "../embedding/embedding-usage.ts";

type Amounts = Omit<StoredThatDay, "day">;

interface Growth {
  /** The first and last UTC day. */
  from: string;
  to: string;
  /** The amounts stored before the first day. */
  before: Amounts;
  /** The days from which stored content still exists, ascending. */
  days: (Amounts & { day: string })[];
}

/**
 * Returns the amounts in an agent's memory, by the day on which they were stored.
 *
 * @param count the number of days up to today
 * @throws AppError as `findAgent`
 */
export async function readGrowth(deps: Deps, caller: Caller, agentId: string, count: number): Promise<Growth> {
  const { agent } = await findAgent(deps, caller, "agent:read", agentId);
  const to = dayOf(deps.clock());
  const since = new Date(Date.parse(to) - (count - 1) * DAY_MS);
  const rows =
    agent &&
    (await withAgentReads(deps.db, agent, async (tx) => {
      const { id: generationId } = await requireGeneration(tx, agent);
      return countByDay(tx, agent.schema, { generationId, since });
    }));
  const growth: Growth = { from: dayOf(since), to, before: { files: 0, messages: 0, facts: 0, chunks: 0 }, days: [] };
  for (const { day, ...amounts } of rows ?? []) {
    if (day === null) growth.before = amounts;
    else growth.days.push({ ...amounts, day });
  }
  return growth;
}
