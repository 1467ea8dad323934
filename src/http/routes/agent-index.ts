import { z } from "@hono/zod-openapi";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { AppError } from "../../base/errors.ts";
import { agentStatus } from "../../service/admin/agent-status.ts";
import { requestSync } from "../../service/agent/request-index-jobs.ts";
import { cancelReindex, startReindex } from "../../service/index/manage-reindex.ts";
import { agentStatusBody, reindex } from "../agent-schemas.ts";
import { identify } from "../middleware/authentication.ts";
import { routesOf } from "../route.ts";
import { json, nothing } from "../schemas.ts";

/** How often the status is looked at; a client that polled would not do so more seldom. */
const EVERY_MS = 1000;
/** A stream ends after this and the client connects again. */
const LONGEST_MS = 300_000;
/** After so many looks the key is checked again, so that one that was revoked does not go on reading. */
const LOOKS_A_CHECK = 10;
/** Streams that one key, or everybody without one, may have open on this process; each asks the database every second. */
const MAX_STREAMS = 10;

const route = routesOf("Index");

/** What an agent's memory is made of, and the work on it. */
export const agentIndexRoutes = [
  route("GET /v1/agents/{agentId}/status", {
    operationId: "agentsStatus",
    summary: "An agent's index, its contents and pending work",
    scope: "agent:read",
    answer: json(agentStatusBody, "The status"),
    run: (deps, caller, { params }) => agentStatus(deps, caller, params.agentId),
  }),
  route("GET /v1/agents/{agentId}/events", {
    operationId: "agentsEvents",
    summary: "The agent's status as server-sent events: at once, and whenever it changes",
    scope: "agent:read",
    answer: { description: "Events named `status`", content: { "text/event-stream": { schema: z.string() } } },
    handle: (deps) => {
      const open = new Map<string, number>();
      return async ({ c, caller, params }) => {
        const streams = open.get(caller.actor) ?? 0;
        if (streams >= MAX_STREAMS)
          throw new AppError("rate_limited", `A key may have ${MAX_STREAMS} streams open; close one.`);
        open.set(caller.actor, streams + 1);
        // What ends it early (the key was revoked, the agent erased) is said by the answer to the next request.
        const end = () => open.set(caller.actor, (open.get(caller.actor) ?? 1) - 1);
        const look = async () => JSON.stringify(await agentStatus(deps.service, caller, params.agentId));
        // Before the stream begins, so that a refusal has its status.
        let status = await look().catch((error: unknown) => {
          end();
          throw error;
        });
        const until = Date.now() + LONGEST_MS;
        const follow = async (stream: SSEStreamingApi) => {
          await stream.writeSSE({ event: "status", data: status });
          for (let looks = 1; !stream.aborted && deps.accepting() && Date.now() < until; looks++) {
            await stream.sleep(EVERY_MS);
            if (looks % LOOKS_A_CHECK === 0) await identify(c, deps);
            const next = await look();
            if (next !== status) await stream.writeSSE({ event: "status", data: next });
            status = next;
          }
        };
        return streamSSE(c, (stream) =>
          follow(stream)
            .catch(() => undefined)
            .finally(end),
        );
      };
    },
  }),
  route("POST /v1/agents/{agentId}/sync", {
    operationId: "agentsSync",
    summary: "Index an agent's unindexed sessions, and the folders of the server",
    scope: "agent:write",
    body: nothing,
    status: 202,
    answer: json(z.object({ queued: z.literal(true) }), "Started in the background; see the agent's status"),
    run: async (deps, caller, { params }) => {
      await requestSync(deps, caller, params.agentId);
      return { queued: true as const };
    },
  }),
  route("POST /v1/agents/{agentId}/reindex", {
    operationId: "agentsReindex",
    summary: "Build a new index with the agent's settings, beside the current one",
    scope: "tenant",
    body: nothing,
    status: 202,
    answer: json(reindex, "Started in the background; see the agent's status"),
    run: (deps, caller, { params }) => startReindex(deps, caller, params.agentId),
  }),
  route("DELETE /v1/agents/{agentId}/reindex", {
    operationId: "agentsCancelReindex",
    summary: "Cancel the index build; the current index stays",
    scope: "tenant",
    answer: json(reindex, "It is gone"),
    run: (deps, caller, { params }) => cancelReindex(deps, caller, params.agentId),
  }),
];
