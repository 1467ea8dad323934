import { decodeCursor, pageOf } from "../../base/page-cursor.ts";
import { eraseAgent } from "../../service/admin/erase-agent.ts";
import {
  changeAgent,
  listTenantAgents,
  makeAgent,
  readAgent,
  readSettings,
} from "../../service/admin/manage-agents.ts";
import { withTranslated } from "../../service/admin/translate-change.ts";
import { receipt } from "../administration-schemas.ts";
import { agent, agentChange, agentInput, agentPage, agentSettings, changedAgent } from "../agent-schemas.ts";
import { routesOf } from "../route.ts";
import { json, MAX_SETTINGS_VALUES, pageQuery } from "../schemas.ts";
import { onceHeaders } from "../write-headers.ts";

const route = routesOf("Agents");

export const agentRoutes = [
  route("GET /v1/agents", {
    operationId: "agentsList",
    summary: "List the tenant's agents by id",
    description:
      "Lists the agents that have been created, and for the default tenant those that the operator's files name, also before their first write.",
    scope: "agent:read",
    query: pageQuery,
    answer: json(agentPage, "One page"),
    run: async (deps, caller, { query: { cursor, limit } }) => {
      const rows = await listTenantAgents(deps, caller, { after: decodeCursor(cursor), limit: limit + 1 });
      const { page, next } = pageOf(rows, limit, (row) => row.id);
      return { agents: page, ...next };
    },
  }),
  route("POST /v1/agents", {
    operationId: "agentsCreate",
    summary: "Create an agent",
    description:
      "The first write of a caller with the scope `tenant` creates an agent too, and the first write of any caller the default agent, `main`. " +
      "An id has 1 to 63 lower-case letters, digits, `-` or `_`, and begins with a letter or digit.",
    scope: "tenant",
    headers: onceHeaders,
    body: json(agentInput, "The agent"),
    bodyValues: MAX_SETTINGS_VALUES,
    status: 201,
    answer: json(changedAgent, "The agent has its own schema and role"),
    run: (deps, caller, { body }) => withTranslated(body, (wanted) => makeAgent(deps, caller, wanted)),
  }),
  route("GET /v1/agents/{agentId}", {
    operationId: "agentsGet",
    summary: "One agent: its own settings, limits and usage",
    description: "Shows the values that were set for this agent alone. `GET …/settings` shows the values in effect.",
    scope: "agent:read",
    answer: json(agent, "The agent"),
    run: (deps, caller, { params }) => readAgent(deps, caller, params.agentId),
  }),
  route("PATCH /v1/agents/{agentId}", {
    operationId: "agentsPatch",
    summary: "Change an agent's name, settings or limits; disable or enable it",
    description:
      "Leaves out what the body does not name. A disabled agent refuses every request until it is enabled again.",
    scope: "tenant",
    headers: onceHeaders,
    body: json(agentChange, "settings and limits are JSON merge patches"),
    bodyValues: MAX_SETTINGS_VALUES,
    answer: json(changedAgent, "The current state"),
    run: (deps, caller, { params, body }) =>
      withTranslated(body, (change) => changeAgent(deps, caller, params.agentId, change)),
  }),
  route("DELETE /v1/agents/{agentId}", {
    operationId: "agentsErase",
    summary: "Erase an agent: schema, role, cached embeddings, jobs, keys",
    description: "It cannot be undone.",
    scope: "tenant",
    headers: onceHeaders,
    answer: json(receipt, "The receipt, which is kept"),
    run: (deps, caller, { params }) => eraseAgent(deps, caller, params.agentId),
  }),
  route("GET /v1/agents/{agentId}/settings", {
    operationId: "agentsSettings",
    summary: "The effective settings, and the origin of each value",
    description:
      "Joins the defaults, the operator's files, the tenant's settings and the agent's own, and names the source of each value.",
    scope: "agent:read",
    answer: json(agentSettings, "By dotted path: default, user, workspace, tenant or agent"),
    run: async (deps, caller, { params }) => {
      const { settings, own, ...rest } = await readSettings(deps, caller, params.agentId);
      return { ...rest, settings: { ...settings }, own: { ...own } };
    },
  }),
];
