import { z } from "@hono/zod-openapi";
import { agentStatus } from "../../service/admin/agent-status.ts";
import { cancelReindex, startReindex } from "../../service/indexing/manage-reindex.ts";
import { requestSync } from "../../service/indexing/sync-agent.ts";
import { agentStatusBody, reindex } from "../agent-schemas.ts";
import { checkKey } from "../middleware/authentication.ts";
import { routesOf } from "../route.ts";
import { json, nothing } from "../schemas.ts";
import { answerEvents } from "../streams/answer-events.ts";
import { createStatusStreams } from "../streams/status-streams.ts";

const queued = z.object({ queued: z.literal(true) }).openapi("Queued");

const route = routesOf("Index");

/** An agent's status, and the work on its index. */
export const agentIndexRoutes = [
  route("GET /v1/agents/{agentId}/status", {
    operationId: "agentsStatus",
    summary: "An agent's index, its contents and pending work",
    description:
      "Counts files, sessions, facts and chunks, and says which work is waiting, so a client can wait until everything is indexed.",
    scope: "agent:read",
    answer: json(agentStatusBody, "The status"),
    run: (deps, caller, { params }) => agentStatus(deps, caller, params.agentId),
  }),
  route("GET /v1/agents/{agentId}/events", {
    operationId: "agentsEvents",
    summary: "The agent's status as server-sent events: at once, and whenever it changes",
    description:
      "A key may have 10 streams at a time, a tenant as many as the operator's `RECOLLECT_TENANT_STREAMS`. A stream " +
      "ends after five minutes; connect again.",
    scope: "agent:read",
    answer: { description: "Events named `status`", content: { "text/event-stream": { schema: z.string() } } },
    handle: (deps) => {
      const streams = createStatusStreams(deps);
      return ({ c, caller, params: { agentId } }) => {
        return answerEvents(c, deps, (signal) =>
          streams.open({ caller, agentId, checkKey: () => checkKey(c, deps), signal }),
        );
      };
    },
  }),
  route("POST /v1/agents/{agentId}/sync", {
    operationId: "agentsSync",
    summary: "Index an agent's unindexed sessions, and the folders of the server",
    description: "Requests a background job and answers at once. A job that waits already is not requested twice.",
    scope: "agent:write",
    body: nothing,
    status: 202,
    answer: json(queued, "Started in the background; see the agent's status"),
    run: async (deps, caller, { params }) => {
      await requestSync(deps, caller, params.agentId);
      return { queued: true as const };
    },
  }),
  route("POST /v1/agents/{agentId}/reindex", {
    operationId: "agentsReindex",
    summary: "Build a new index with the agent's settings, beside the current one",
    description: "The current index answers until the new one takes over.",
    scope: "tenant",
    body: nothing,
    status: 202,
    answer: json(reindex, "Started in the background; see the agent's status"),
    run: (deps, caller, { params }) => startReindex(deps, caller, params.agentId),
  }),
  route("DELETE /v1/agents/{agentId}/reindex", {
    operationId: "agentsCancelReindex",
    summary: "Cancel the index build; the current index stays",
    description: "It does not restart by itself for the same settings.",
    scope: "tenant",
    answer: json(reindex, "The build is cancelled"),
    run: (deps, caller, { params }) => cancelReindex(deps, caller, params.agentId),
  }),
];
