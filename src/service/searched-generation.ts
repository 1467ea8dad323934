import { type AgentSpace, readAsAgent } from "../db/agent/agent-transaction.ts";
import { type Generation, searchedGenerationSql } from "../db/agent/generations.ts";
import type { Deps } from "./deps.ts";

/** The generation that searches use, undefined before the first write, and whether sessions have messages that it lacks. */
export async function searchedGeneration(
  deps: Deps,
  agent: AgentSpace,
): Promise<{ generation: Generation | undefined; unindexed: boolean }> {
  const statement = searchedGenerationSql(agent.schema);
  const [row] = await readAsAgent<Generation & { unindexed: boolean }>(deps.db, agent, statement);
  return { generation: row, unindexed: row?.unindexed ?? false };
}
