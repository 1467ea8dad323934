import { searchesSessions } from "../agents/session-settings.ts";
import { withAgentReads } from "../db/agent/agent-transaction.ts";
import { type Generation, readSearchedGeneration } from "../db/agent/generations.ts";
import { speakersAmong } from "../db/agent/speakers.ts";
import { possibleNames } from "../search/without-speakers.ts";
import type { Deps } from "./deps.ts";
import type { KnownAgent } from "./find-agent.ts";

/**
 * The generation that searches use, undefined before the first write, whether sessions have messages that it lacks,
 * and which words of the query are names of those who speak in them.
 */
export async function searchedGeneration(
  deps: Deps,
  agent: KnownAgent,
  query: string,
): Promise<{ generation: Generation | undefined; unindexed: boolean; speakers: string[] }> {
  const words = searchesSessions(agent.settings) ? possibleNames(query) : [];
  const [speakers, row] = await withAgentReads(deps.db, agent, (tx) =>
    Promise.all([speakersAmong(tx, agent.schema, words), readSearchedGeneration(tx, agent.schema)]),
  );
  return { generation: row, unindexed: row?.unindexed ?? false, speakers };
}
