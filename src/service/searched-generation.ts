import { searchesSessions } from "../agents/session-settings.ts";
import { withAgentReads } from "../db/agent/agent-transaction.ts";
import { type Generation, readSearchedGeneration, type SourcesThere } from "../db/agent/generations.ts";
import { speakersAmong } from "../db/agent/speakers.ts";
import { possibleNames } from "../search/without-speakers.ts";
import type { Deps } from "./deps.ts";
import type { KnownAgent } from "./find-agent.ts";

const NOTHING: SourcesThere = { unindexed: false, hasSessions: false, hasFacts: false };

/** What a search begins with, read in one transaction. */
export interface SearchedGeneration {
  /** The one that searches use; undefined before the first write. */
  generation: Generation | undefined;
  there: SourcesThere;
  /** Words of the query that are names of those who speak in sessions. */
  speakers: string[];
}

/** The generation that searches use, what there is to search, and who of the query speaks there. */
export async function searchedGeneration(deps: Deps, agent: KnownAgent, query: string): Promise<SearchedGeneration> {
  const words = searchesSessions(agent.settings) ? possibleNames(query) : [];
  const [speakers, row] = await withAgentReads(deps.db, agent, (tx) =>
    Promise.all([speakersAmong(tx, agent.schema, words), readSearchedGeneration(tx, agent.schema)]),
  );
  return { generation: row, there: row ?? NOTHING, speakers };
}
