import { z } from "@hono/zod-openapi";
import { eraseAgent } from "../../service/admin/erase-agent.ts";
import {
  changeAgent,
  listTenantAgents,
  makeAgent,
  readAgent,
  readSettings,
} from "../../service/admin/manage-agents.ts";
import { receipt } from "../administration-schemas.ts";
import { agent } from "../agent-schemas.ts";
import { decodeCursor, toPage } from "../paging.ts";
import { routesOf } from "../route.ts";
import { json, jsonObject, name, paged, pageQuery } from "../schemas.ts";
import { onceHeaders } from "../write-headers.ts";

const wanted = z.strictObject({
  id: z.string(),
  name: name.optional(),
  settings: jsonObject.optional(),
  limits: jsonObject.optional(),
});

const change = z
  .strictObject({
    name: name.optional(),
    disabled: z.boolean().optional(),
    settings: jsonObject.optional(),
    limits: jsonObject.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, "must change something");

const effectiveSettings = z.object({
  settings: jsonObject,
  origins: z.record(z.string(), z.string()),
  own: jsonObject,
});

const route = routesOf("Agents");

export const agentRoutes = [
  route("GET /v1/agents", {
    operationId: "agentsList",
    summary: "List the tenant's agents by id",
    scope: "agent:read",
    query: pageQuery,
    answer: json(paged({ agents: z.array(agent) }), "One page"),
    run: async (deps, caller, { query: { cursor, limit } }) => {
      const rows = await listTenantAgents(deps, caller, { after: decodeCursor(cursor), limit: limit + 1 });
      const { page, next } = toPage(rows, limit, (row) => row.id);
      return { agents: page, ...next };
    },
  }),
  route("POST /v1/agents", {
    operationId: "agentsCreate",
    summary: "Create an agent",
    scope: "tenant",
    headers: onceHeaders,
    body: json(wanted, "The agent"),
    status: 201,
    answer: json(agent, "The agent has its own schema and role"),
    run: (deps, caller, { body }) => makeAgent(deps, caller, body),
  }),
  route("GET /v1/agents/{agentId}", {
    operationId: "agentsGet",
    summary: "One agent: its own settings, limits and usage",
    scope: "agent:read",
    answer: json(agent, "The agent"),
    run: (deps, caller, { params }) => readAgent(deps, caller, params.agentId),
  }),
  route("PATCH /v1/agents/{agentId}", {
    operationId: "agentsPatch",
    summary: "Change an agent's name, settings or limits; disable or enable it",
    scope: "tenant",
    headers: onceHeaders,
    body: json(change, "settings and limits are JSON merge patches"),
    answer: json(agent, "The current state"),
    run: (deps, caller, { params, body }) => changeAgent(deps, caller, params.agentId, body),
  }),
  route("DELETE /v1/agents/{agentId}", {
    operationId: "agentsErase",
    summary: "Erase an agent: schema, role, cached embeddings, jobs, keys",
    scope: "tenant",
    headers: onceHeaders,
    answer: json(receipt, "The receipt, which is kept"),
    run: (deps, caller, { params }) => eraseAgent(deps, caller, params.agentId),
  }),
  route("GET /v1/agents/{agentId}/settings", {
    operationId: "agentsSettings",
    summary: "The effective settings, and the origin of each value",
    scope: "agent:read",
    answer: json(effectiveSettings, "By dotted path: default, user, workspace, tenant or agent"),
    run: async (deps, caller, { params }) => {
      const { settings, origins, own } = await readSettings(deps, caller, params.agentId);
      return { settings: { ...settings }, origins, own: { ...own } };
    },
  }),
];
