import { type AgentSpace, withAgentReads } from "../db/agent/agent-transaction.ts";
import { type Generation, readSearchedGeneration } from "../db/agent/generations.ts";
import type { Deps } from "./deps.ts";

/** The generation that searches use, undefined before the first write, and whether sessions have messages that it lacks. */
export async function searchedGeneration(
  deps: Deps,
  agent: AgentSpace,
): Promise<{ generation: Generation | undefined; unindexed: boolean }> {
  const row = await withAgentReads(deps.db, agent, (tx) => readSearchedGeneration(tx, agent.schema));
  return { generation: row, unindexed: row?.unindexed ?? false };
}
