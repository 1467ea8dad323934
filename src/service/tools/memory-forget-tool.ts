import { z } from "zod";
import { factHit, factId, factSearch, MAX_FORGET } from "../facts/fact-schemas.ts";
import { memoryForget } from "./fact-tools.ts";
import { defineTool } from "./memory-tool.ts";

/** One object, not a union of two: models' APIs take no union at the top of an input. */
const input = factSearch
  .pick({ query: true, maxResults: true, scope: true })
  .partial({ query: true })
  .extend({ ids: z.array(factId).min(1).max(MAX_FORGET).optional().describe("Ids of the facts to forget") })
  .superRefine(({ ids, query, maxResults, scope }, context) => {
    if ((ids === undefined) === (query === undefined))
      context.addIssue("needs either ids to forget or a query to find candidates");
    else if (ids !== undefined && (maxResults !== undefined || scope !== undefined))
      context.addIssue("maxResults and scope belong to a query");
  });

/** Forgetting by id; a query only finds what could be meant. */
export const memoryForgetTool = defineTool({
  name: "memory_forget",
  title: "Forget facts",
  description:
    "Forget facts for good, by their ids. With a query instead of ids it only returns candidates and forgets " +
    "nothing: show them to the user, then call it again with the chosen ids.",
  scope: "agent:write",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input,
  output: z.object({ facts: z.array(factHit), forgotten: z.array(z.string()) }),
  whenToUse:
    "When the user asks you to forget something, call memory_forget with a query to find it, then with the ids.",
  run: (deps, caller, agentId, { ids, query = "", maxResults, scope }) =>
    memoryForget(deps, caller, agentId, ids === undefined ? { query, maxResults, scope } : { ids }),
});
