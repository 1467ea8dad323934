import { z } from "@hono/zod-openapi";
import { timestamp } from "../../service/core/scalar-schemas.ts";
import { FACT_SORTS, factCategory, MAX_FACTS } from "../../service/facts/fact-schemas.ts";
import { forgetFact, forgetFactsOfSource } from "../../service/facts/forget-facts.ts";
import { countPeople, getFact, getFactHistory, listAgentFacts } from "../../service/facts/read-facts.ts";
import { addFacts } from "../../service/facts/store-facts.ts";
import { updateFact } from "../../service/facts/update-fact.ts";
import { recallMemory } from "../../service/search/recall-memory.ts";
import { searchFacts } from "../../service/search/search-facts.ts";
import { forgetMany } from "../../service/sessions/forget-many.ts";
import {
  changedFact,
  fact,
  factChange,
  factHistory,
  factInput,
  factPage,
  factPeople,
  factSearch,
  forgetInput,
  forgottenFacts,
  forgottenMany,
  forgottenOfSource,
  foundFacts,
  recalled,
  recallInput,
  storedFacts,
} from "../fact-schemas.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery, scopeQuery } from "../schemas.ts";
import { onceHeaders } from "../write-headers.ts";

const label = z.string().min(1).max(200).optional();

const forgetQuery = z.strictObject({
  snapshots: z.stringbool().default(false).openapi({
    type: "boolean",
    description: "Remove the fact from snapshots too, even if it was deleted earlier. Needs the scope `tenant`",
  }),
});

const source = z.string().min(1).max(1024).openapi({
  description: "The conversation or file that the facts come from: a session's key or path, or a file's path",
});

const sourceQuery = z.strictObject({ source, ...scopeQuery });

const peopleQuery = z.strictObject({ limit: pageQuery.shape.limit, ...scopeQuery });

const listQuery = pageQuery.extend({
  ...scopeQuery,
  subject: label.openapi({ description: "Only facts about this person or thing; case does not matter" }),
  person: label.openapi({
    description: "Only facts about this person, or for the user of this name; case does not matter",
  }),
  source: source.optional(),
  key: label.openapi({ description: "Only facts with this key" }),
  tag: label.openapi({ description: "Only facts with this tag" }),
  category: factCategory.optional(),
  minImportance: z.coerce.number().min(0).max(1).optional().openapi({ type: "number" }),
  asOf: timestamp.optional(),
  all: z.stringbool().default(false).openapi({ type: "boolean", description: "Also list ended facts" }),
  q: z.string().trim().min(1).max(200).optional().openapi({
    description: "Only facts with this text in their statement, subject or key; case does not matter",
  }),
  sourceKind: z.enum(["message", "file", "call"]).optional().openapi({
    description: "Only facts that come from a conversation, a file, or a request",
  }),
  storedSince: timestamp.optional().openapi({ description: "Only facts that were stored at this time or later" }),
  storedBefore: timestamp.optional().openapi({ description: "Only facts that were stored before this time" }),
  sort: z
    .enum(FACT_SORTS)
    .default("newest")
    .openapi({
      description:
        "`newest` and `oldest`: by the time of storing. `importance`: the most important first. `said`: the most " +
        "recently said first. The last two sort at most the newest 50,000 facts",
    }),
  total: z.stringbool().default(false).openapi({
    type: "boolean",
    description: "Also count the facts of the list. Costs up to a tenth of a second in a large memory",
  }),
});

const newFacts = z.strictObject({ facts: z.array(factInput).min(1).max(MAX_FACTS) });

const route = routesOf("Facts");

export const factRoutes = [
  route("GET /v1/agents/{agentId}/facts", {
    operationId: "factsList",
    summary: "List an agent's facts, newest first or in another order",
    description:
      "Lists the facts that are valid now, or were valid at `asOf`. `user`, `agent` and `session` list only facts " +
      "whose scope has these parts. `subject` is the person who said a fact, or the person or thing that it is about. " +
      "One page looks at no more than 50,000 facts of the user, subject, source or key, so a page may have few facts, or none, " +
      "and still a `nextCursor`.",
    scope: "agent:read",
    query: listQuery,
    answer: json(factPage, "One page; pass `nextCursor` as `cursor` for the next"),
    run: (deps, caller, { params, query }) => {
      const { cursor, limit, sort, total, user, agent, session, tag, category, q, ...rest } = query;
      const filter = {
        ...rest,
        scope: { user, agent, session },
        tags: tag === undefined ? undefined : [tag],
        categories: category === undefined ? undefined : [category],
        contains: q,
      };
      return listAgentFacts(deps, caller, params.agentId, filter, { cursor, limit, sort, total });
    },
  }),
  route("GET /v1/agents/{agentId}/facts/people", {
    operationId: "factsPeople",
    summary: "The people and things that an agent's facts are about, and the users that they are for",
    description:
      "Counts the facts that are valid now by their subject and by the user of their scope, the commonest first. Beyond " +
      "50,000 facts it counts the newest ones, and `complete` is false.",
    scope: "agent:read",
    query: peopleQuery,
    answer: json(factPeople, "Each subject and each user, and the number of facts without one"),
    run: (deps, caller, { params, query: { limit, ...scope } }) =>
      countPeople(deps, caller, params.agentId, { limit, scope }),
  }),
  route("DELETE /v1/agents/{agentId}/facts", {
    operationId: "factsForgetSource",
    summary: "Delete the facts that come from a conversation or file for good",
    description:
      "Deletes at most 5,000 facts, also ended ones; repeat the call while `more` is true. Facts of other sources stay. A " +
      "snapshot that was taken before keeps what it needs to bring the facts back.",
    scope: "agent:write",
    headers: onceHeaders,
    query: sourceQuery,
    answer: json(forgottenOfSource, "The ids of the deleted facts"),
    run: (deps, caller, { params, query: { source, ...scope } }) =>
      forgetFactsOfSource(deps, caller, params.agentId, { source, scope }),
  }),
  route("POST /v1/agents/{agentId}/facts", {
    operationId: "factsAdd",
    summary: "Store facts, all or nothing",
    description:
      "A statement that is already known is a `duplicate`, and its `id` is the existing fact's. A fact with a `key` " +
      "ends the fact that had this key, the same scope and the same subject.",
    scope: "agent:write",
    headers: onceHeaders,
    body: json(newFacts, "At most 50 facts"),
    answer: json(storedFacts, "The result for each, in the order given"),
    run: async (deps, caller, { params, body }) => ({
      facts: await addFacts(deps, caller, params.agentId, body.facts),
    }),
  }),
  route("POST /v1/agents/{agentId}/facts/forget", {
    operationId: "factsForgetMany",
    summary: "Delete facts for good: some, all about a person, or all from a source; first as a dry run",
    description:
      "Deletes at most 5,000 facts, with their earlier versions, and with `sessions` at most 100 conversations; repeat the " +
      "call while `more` is true. With `dryRun` it only counts. `speaksIn` names conversations of others in which the person " +
      "speaks, which stay. There is no way back, unless a snapshot was taken before; " +
      "`snapshots` removes the facts from snapshots too and needs the scope `tenant`.",
    scope: "agent:write",
    headers: onceHeaders,
    // `?snapshots=true`, as with one fact, belongs in the body here, and ignored it would keep texts in snapshots.
    query: z.strictObject({}),
    body: json(forgetInput, "Which facts"),
    answer: json(forgottenMany, "The counts of what was deleted, or would be"),
    run: (deps, caller, { params, body }) => forgetMany(deps, caller, params.agentId, body),
  }),
  route("POST /v1/agents/{agentId}/facts/search", {
    operationId: "factsSearch",
    summary: "Search an agent's facts",
    description: "Searches like `memory_recall`, but facts only, and can explain the ranking.",
    scope: "search",
    body: json(factSearch, "What to look for"),
    answer: json(foundFacts, "Facts, best first"),
    run: (deps, caller, { params, body }) => searchFacts(deps, caller, params.agentId, body),
  }),
  route("GET /v1/agents/{agentId}/facts/{factId}", {
    operationId: "factsGet",
    summary: "One fact, also an ended one",
    description:
      "Shows the statement with its scope, source and the time in which it holds. A fact that has ended names its successor.",
    scope: "agent:read",
    answer: json(fact, "The fact"),
    run: (deps, caller, { params }) => getFact(deps, caller, params.agentId, params.factId),
  }),
  route("PATCH /v1/agents/{agentId}/facts/{factId}", {
    operationId: "factsPatch",
    summary: "Change a fact; another text or subject creates a new version with its own id",
    description:
      "A change of the text or the subject ends the fact and stores a new one, which supersedes it. Any other change keeps the id.",
    scope: "agent:write",
    headers: onceHeaders,
    body: json(factChange, "What to change"),
    answer: json(changedFact, "`id` is the id of the current fact"),
    run: (deps, caller, { params, body }) => updateFact(deps, caller, params.agentId, params.factId, body),
  }),
  route("DELETE /v1/agents/{agentId}/facts/{factId}", {
    operationId: "factsForget",
    summary: "Delete a fact and its earlier versions for good",
    description:
      "Its chunks and cached embeddings go too. A snapshot that was taken before keeps what it needs to bring the fact " +
      "back, unless `snapshots` is true.",
    scope: "agent:write",
    headers: onceHeaders,
    query: forgetQuery,
    answer: json(forgottenFacts, "The ids of the deleted facts"),
    run: (deps, caller, { params, query }) => forgetFact(deps, caller, params.agentId, params.factId, query),
  }),
  route("GET /v1/agents/{agentId}/facts/{factId}/history", {
    operationId: "factsHistory",
    summary: "Every version of a fact, oldest first",
    description: "Begins with the first version that is still stored and ends with the one that holds now.",
    scope: "agent:read",
    answer: json(factHistory, "At most the last 1,000"),
    run: async (deps, caller, { params }) => ({
      facts: await getFactHistory(deps, caller, params.agentId, params.factId),
    }),
  }),
  route("POST /v1/agents/{agentId}/recall", {
    operationId: "recall",
    summary: "Facts and passages relevant to a user's message, and a text block with them for the prompt",
    description:
      "Call it before the model's turn. A message that has nothing to do with the memory recalls nothing. Without a " +
      "`scope`, only facts and conversations without a scope are recalled.",
    scope: "search",
    body: json(recallInput, "The message"),
    answer: json(recalled, "Facts, best first, and passages of conversations and files"),
    run: (deps, caller, { params, body }) => recallMemory(deps, caller, params.agentId, body),
  }),
];
