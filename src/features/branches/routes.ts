import { z } from "@hono/zod-openapi";
import { agentDiff, branch, branchList, mergedBranch, mergeInput, newBranch } from "../../http/link-schemas.ts";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { onceHeaders } from "../../http/write-headers.ts";
import { branchAgent, listBranches, readBranch } from "./branch-agent.ts";
import { diffAgents } from "./diff-agents.ts";
import { mergeBranch } from "./merge-branch.ts";

const diffQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100).openapi({ description: "Most files, and most facts" }),
});

const route = routesOf("Branches");

/** Agents that are made of other agents' memories. */
export const branchRoutes = [
  route("POST /v1/agents/{agentId}/branches", {
    operationId: "branchesCreate",
    summary: "Create an agent with a copy of this agent's memory, as it is now or was at an earlier moment",
    description: "The new agent has a schema, role, keys and limits of its own. No text is embedded again.",
    scope: "tenant",
    headers: onceHeaders,
    body: json(newBranch, "The new agent's id"),
    status: 202,
    answer: json(branch, "The memory is being copied; the agent can be used when the state is `ready`"),
    run: (deps, caller, { params, body }) => branchAgent(deps, caller, params.agentId, body),
  }),
  route("GET /v1/agents/{agentId}/branches", {
    operationId: "branchesList",
    summary: "List the agents that were copied from this agent",
    description: "The newest come first, and at most a hundred.",
    scope: "tenant",
    answer: json(branchList, "The branches"),
    run: (deps, caller, { params }) => listBranches(deps, caller, params.agentId),
  }),
  route("GET /v1/agents/{agentId}/branch", {
    operationId: "branchesGet",
    summary: "The origin of a branch, and the progress of its copy",
    description: "Shows from which agent and moment the branch was copied.",
    scope: "agent:read",
    answer: json(branch, "The branch"),
    run: (deps, caller, { params }) => readBranch(deps, caller, params.agentId),
  }),
  route("GET /v1/agents/{agentId}/diff/{otherId}", {
    operationId: "agentsDiff",
    summary: "Compare the files and facts of two agents",
    description: "Sessions are not compared.",
    scope: "tenant",
    query: diffQuery,
    answer: json(agentDiff, "The differences; if one agent is a branch of the other, also which of them changed each"),
    run: (deps, caller, { params, query }) => diffAgents(deps, caller, { ...params, ...query }),
  }),
  route("POST /v1/agents/{agentId}/merge", {
    operationId: "branchesMerge",
    summary: "Merge a branch's changes of files and facts into the agent that it was made from, all or nothing",
    description:
      "Merges at most 5,000 files and facts and 64 MB. If both agents have changed the same thing, the answer is " +
      "`merge_conflict` (409) and nothing is written, unless `prefer` is set. Sessions are not merged.",
    scope: "tenant",
    body: json(mergeInput, "The agent that takes the changes"),
    answer: json(mergedBranch, "The changes that were merged, or would be"),
    run: (deps, caller, { params, body }) => mergeBranch(deps, caller, params.agentId, body),
  }),
];
