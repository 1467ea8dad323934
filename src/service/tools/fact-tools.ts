import { authoriseAgent } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import type { RecalledQuote } from "../facts/fact-schemas.ts";
import { forgetFacts } from "../facts/forget-facts.ts";
import { recallMemory } from "../search/recall-memory.ts";
import { type FactHit, type FactSearchInput, type FactSearchOutput, searchFacts } from "../search/search-facts.ts";
import type { Unavailable } from "../search/search-schemas.ts";
import { memoryUnavailable } from "../search/unavailable.ts";

interface FactsUnavailable extends Unavailable {
  facts: [];
}

/** The answer of `memory_recall`: facts first, then passages of conversations and files. */
type RecallToolOutput = FactSearchOutput & { quotes?: RecalledQuote[] };

/**
 * Runs the tool `memory_recall`: returns knowledge about a question, facts first, then passages of
 * conversations and files. With a filter or an earlier time it returns facts only.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function memoryRecall(
  deps: Deps,
  caller: Caller,
  agentId: string,
  input: FactSearchInput,
): Promise<RecallToolOutput | FactsUnavailable> {
  const { query, maxResults, scope, timezone, ...narrower } = input;
  try {
    if (Object.values(narrower).some((value) => value !== undefined))
      return await searchFacts(deps, caller, agentId, input);
    const asked = { message: query, maxFacts: maxResults, maxQuotes: maxResults, scope, timezone };
    const { facts, quotes, mode, warning } = await recallMemory(deps, caller, agentId, { ...asked, isAsked: true });
    const found = facts.map(({ distance: _, ...fact }) => fact);
    return { facts: found, quotes, mode, ...(warning === undefined ? {} : { warning }) };
  } catch (error) {
    return { facts: [], ...memoryUnavailable(error) };
  }
}

interface ForgetOutput {
  /** Candidates that a query found. A query deletes nothing. */
  facts: FactHit[];
  /** Ids of the deleted facts and all their earlier versions. */
  forgotten: string[];
}

/**
 * Runs the tool `memory_forget`: deletes facts by their ids. A query only finds candidates. A
 * caller that may write but not search gets none.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`,
 *   `invalid_request`
 */
export async function memoryForget(
  deps: Deps,
  caller: Caller,
  agentId: string,
  input: { ids: readonly string[] } | FactSearchInput,
): Promise<ForgetOutput> {
  authoriseAgent(caller, "agent:write", agentId);
  if ("ids" in input) return { facts: [], forgotten: await forgetFacts(deps, caller, agentId, input.ids) };
  const { facts } = await searchFacts(deps, caller, agentId, input);
  return { facts, forgotten: [] };
}
