import { branchAgent, readBranch } from "../../service/archive/branch-agent.ts";
import { branch, newBranch } from "../agent-schemas.ts";
import { routesOf } from "../route.ts";
import { json } from "../schemas.ts";
import { onceHeaders } from "../write-headers.ts";

const route = routesOf("Branches");

/** Agents that are made of others' memories. */
export const branchRoutes = [
  route("POST /v1/agents/{agentId}/branches", {
    operationId: "branchesCreate",
    summary: "Make an agent with all that this one remembers now",
    scope: "tenant",
    headers: onceHeaders,
    body: json(newBranch, "The new agent's id"),
    status: 202,
    answer: json(branch, "It is being copied; the agent is there when its state is `ready`"),
    run: (deps, caller, { params, body }) => branchAgent(deps, caller, params.agentId, body),
  }),
  route("GET /v1/agents/{agentId}/branch", {
    operationId: "branchesGet",
    summary: "What a branch was made of, and how far it is copied",
    scope: "agent:read",
    answer: json(branch, "The branch"),
    run: (deps, caller, { params }) => readBranch(deps, caller, params.agentId),
  }),
];
