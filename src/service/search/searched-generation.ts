import { searchesSessions } from "../../agents/session-settings.ts";
import { speakersAmong } from "../../db/agent/sessions/speakers.ts";
import { withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import { type Generation, readSearchedGeneration, type SourcesThere } from "../../db/agent/space/generations.ts";
import { possibleNames } from "../../search/words/without-speakers.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { SearchDeps } from "./search-deps.ts";

const NOTHING: SourcesThere = { unindexed: false, hasSessions: false, hasFacts: false };

/** What a search begins with, read in one transaction. */
export interface SearchedGeneration {
  /** The one that searches use; undefined before the first write. */
  generation: Generation | undefined;
  available: SourcesThere;
  /** Words of the query that are names of those who speak in sessions. */
  speakers: string[];
}

/** The generation that searches use, what there is to search, and who of the query speaks there. */
export async function searchedGeneration(
  deps: SearchDeps,
  agent: KnownAgent,
  query: string,
): Promise<SearchedGeneration> {
  const words = searchesSessions(agent.settings) ? possibleNames(query) : [];
  const [speakers, row] = await withAgentReads(deps.db, agent, (tx) =>
    Promise.all([speakersAmong(tx, agent.schema, words), readSearchedGeneration(tx, agent.schema)]),
  );
  return { generation: row, available: row ?? NOTHING, speakers };
}
