import { type FactScope, readFacts } from "../../db/agent/facts/facts.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { authoriseAgent } from "../../settings/access.ts";
import { findKnownMemory } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import type { RecalledQuote } from "../facts/fact-schemas.ts";
import { type ForgottenFacts, forgetFacts } from "../facts/forget-facts.ts";
import { presentFact } from "../facts/present-fact.ts";
import { cutRequest, joinSaid } from "../search/cut-request.ts";
import { recallMemory } from "../search/recall-memory.ts";
import { type FactHit, type FactSearchInput, type FactSearchOutput, searchFacts } from "../search/search-facts.ts";
import type { Unavailable } from "../search/search-schemas.ts";
import { memoryUnavailable } from "../search/unavailable.ts";
import { factOfShown } from "./shown-fact.ts";

interface FactsUnavailable extends Unavailable {
  facts: [];
}

/** The answer of `memory_recall`: facts first, then passages of conversations and files. */
type RecallToolOutput = FactSearchOutput & { quotes?: RecalledQuote[]; certain?: false; note?: string };

const NOTHING_CERTAIN =
  "Nothing certain was found; these are only the nearest facts and passages. Try other words, a name, or memory_search.";

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
  const { input: asked, warning: cut, note } = cutRequest(input);
  const { query, maxResults, scope, timezone, ...narrower } = asked;
  try {
    if (Object.values(narrower).some((value) => value !== undefined))
      return await searchFacts(deps, caller, agentId, input);
    const asked = { message: query, maxFacts: maxResults, maxQuotes: maxResults, scope, timezone };
    const {
      facts,
      quotes,
      mode,
      certain,
      warning,
      note: otherDays,
    } = await recallMemory(deps, caller, agentId, {
      ...asked,
      isAsked: true,
    });
    const found = facts.map(({ distance: _, ...fact }) => fact);
    return {
      facts: found,
      quotes,
      mode,
      ...(certain === false ? { certain } : {}),
      ...joinSaid("warning", [cut, warning]),
      ...joinSaid("note", [note, certain === false ? NOTHING_CERTAIN : undefined, otherDays]),
    };
  } catch (error) {
    return { facts: [], ...memoryUnavailable(error) };
  }
}

interface ForgetOutput {
  /** Candidates that a query found. A query deletes nothing. */
  facts: FactHit[];
  /** Ids of the deleted facts and all their earlier versions. */
  forgotten: string[];
  /** The ids that no fact has, and where the words of the forgotten facts still stand. */
  note?: string;
}

/**
 * Returns the scope that all replaced facts have, so that a correction reaches the same users; undefined
 * if they have several scopes, or there are none. A host's user does not write for another user: a
 * wrong id would end that user's fact.
 *
 * @param replaced.user the user for whom a host's tools write; undefined: everybody
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function scopeOfReplaced(
  deps: Deps,
  caller: Caller,
  agentId: string,
  { ids, user }: { ids: readonly string[]; user: string | undefined },
): Promise<{ scope: FactScope; note: string } | undefined> {
  if (ids.length === 0) return undefined;
  const agent = await findKnownMemory(deps, caller, "agent:write", agentId);
  if (!agent) return undefined;
  const rows = await withAgentReads(deps.db, agent, (tx) => readFacts(tx, agent.schema, ids));
  const scopes = rows.map((row) => presentFact(row).scope);
  const [scope, another] = new Map(scopes.map((one) => [JSON.stringify(one), one])).values();
  if (!scope || another) return undefined;
  const isForAll = Object.keys(scope).length === 0;
  // Without an implied scope the tool writes for the host's user, or for everybody.
  if (user === undefined ? isForAll : !isForAll) return undefined;
  const whom = isForAll ? "everybody" : `the scope ${JSON.stringify(scope)}`;
  return { scope, note: `Stored for ${whom}, as the fact that it replaces.` };
}

/** The most ids that a note names, and the most characters of each. */
const MAX_NAMED = 20;
const MAX_NAMED_CHARS = 80;

/** Returns a sentence that names the ids that no fact of the scope has; undefined if there are none. */
function unknownNote(ids: readonly string[], scope: FactScope | undefined): string | undefined {
  if (ids.length === 0) return undefined;
  const named = ids.slice(0, MAX_NAMED).map((id) => JSON.stringify(id.slice(0, MAX_NAMED_CHARS).toWellFormed()));
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : "";
  const fact = scope === undefined ? "No fact" : "No fact that this scope may see";
  return `${fact} has the id ${named.join(", ")}${more}; a recall or a list shows the ids of facts.`;
}

/**
 * Runs the tool `memory_forget`: deletes facts by their ids, and names the ids that no fact has. A
 * query only finds candidates. Facts that the scope may not see are not forgotten. A caller that may write but not search gets none.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`,
 *   `invalid_request`
 */
export async function memoryForget(
  deps: Deps,
  caller: Caller,
  agentId: string,
  input: { ids: readonly string[]; scope: FactScope | undefined } | FactSearchInput,
): Promise<ForgetOutput> {
  authoriseAgent(caller, "agent:write", agentId);
  if ("ids" in input) {
    const ids = input.ids.flatMap((shown) => factOfShown(shown) ?? []);
    const none: ForgottenFacts = { forgotten: [] };
    const { forgotten, note } =
      ids.length === 0 ? none : await forgetFacts(deps, caller, agentId, ids, { visibleTo: input.scope });
    const unknown = input.ids.filter((shown) => !forgotten.includes(factOfShown(shown) ?? ""));
    return { facts: [], forgotten, ...joinSaid("note", [unknownNote(unknown, input.scope), note]) };
  }
  const { facts } = await searchFacts(deps, caller, agentId, input);
  // A model would tell its user that it is forgotten.
  const note = "No fact was found. Conversations and files may still say it; memory_search finds them.";
  return { facts, forgotten: [], ...(facts.length === 0 ? { note } : {}) };
}
