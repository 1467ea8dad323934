import { type AgentSpace, withAgentReads } from "../db/agent/agent-transaction.ts";
import { type Generation, readSearchedGeneration, type SourcesThere } from "../db/agent/generations.ts";
import type { Deps } from "./deps.ts";

const NOTHING: SourcesThere = { unindexed: false, hasSessions: false, hasFacts: false };

/** The generation that searches use, undefined before the first write, and what there is to search. */
export async function searchedGeneration(
  deps: Deps,
  agent: AgentSpace,
): Promise<{ generation: Generation | undefined; there: SourcesThere }> {
  const row = await withAgentReads(deps.db, agent, (tx) => readSearchedGeneration(tx, agent.schema));
  return { generation: row, there: row ?? NOTHING };
}
