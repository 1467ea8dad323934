import { createRoute, z } from "@hono/zod-openapi";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { AppError } from "../../base/errors.ts";
import { agentStatus } from "../../service/admin/agent-status.ts";
import type { App, HttpDeps } from "../context.ts";
import { identify } from "../middleware/authentication.ts";
import { agentParam, errorResponses, needs } from "../schemas.ts";

/** How often the status is looked at; a client that polled would not do so more seldom. */
const EVERY_MS = 1000;
/** A stream ends after this and the client connects again. */
const LONGEST_MS = 300_000;
/** After so many looks the key is checked again, so that one that was revoked does not go on reading. */
const LOOKS_A_CHECK = 10;
/** Streams that one key, or everybody without one, may have open on this process; each asks the database every second. */
const MAX_STREAMS = 10;

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/events",
  operationId: "agentsEvents",
  tags: ["Index"],
  summary: "The agent's status as server-sent events: at once, and whenever it changes",
  ...needs("agent:read"),
  request: { params: agentParam },
  responses: {
    200: { description: "Events named `status`", content: { "text/event-stream": { schema: z.string() } } },
    ...errorResponses,
  },
});

/** GET an agent's status as a stream. */
export function registerAgentsEvents(app: App, deps: HttpDeps): void {
  const { service, accepting } = deps;
  const open = new Map<string, number>();
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    const caller = c.get("caller");
    const streams = open.get(caller.actor) ?? 0;
    if (streams >= MAX_STREAMS)
      throw new AppError("rate_limited", `A key may have ${MAX_STREAMS} streams open; close one.`);
    open.set(caller.actor, streams + 1);
    // What ends it early (the key was revoked, the agent erased) is said by the answer to the next request.
    const end = () => open.set(caller.actor, (open.get(caller.actor) ?? 1) - 1);
    const look = async () => JSON.stringify(await agentStatus(service, caller, agentId));
    // Before the stream begins, so that a refusal has its status.
    let status = await look().catch((error: unknown) => {
      end();
      throw error;
    });
    const until = Date.now() + LONGEST_MS;
    const follow = async (stream: SSEStreamingApi) => {
      await stream.writeSSE({ event: "status", data: status });
      for (let looks = 1; !stream.aborted && accepting() && Date.now() < until; looks++) {
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
  });
}
