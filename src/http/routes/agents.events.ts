import { createRoute, z } from "@hono/zod-openapi";
import { streamSSE } from "hono/streaming";
import { agentStatus } from "../../service/agent-status.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, needs } from "../schemas.ts";

/** How often the status is looked at; a client that polled would not do so more seldom. */
const EVERY_MS = 1000;
/** A stream ends after this and the client connects again, so that a key that was revoked does not go on reading. */
const LONGEST_MS = 300_000;

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/events",
  summary: "The agent's status as server-sent events: at once, and whenever it changes",
  ...needs("agent:read"),
  request: { params: agentParam },
  responses: {
    200: { description: "Events named `status`", content: { "text/event-stream": { schema: z.string() } } },
    ...errorResponses,
  },
});

/** GET an agent's status as a stream. */
export function registerAgentsEvents(app: App, { service, accepting }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    const caller = c.get("caller");
    // Before the stream begins, so that a refusal has its status.
    let status = JSON.stringify(await agentStatus(service, caller, agentId));
    const until = Date.now() + LONGEST_MS;
    return streamSSE(c, async (stream) => {
      await stream.writeSSE({ event: "status", data: status });
      while (!stream.aborted && accepting() && Date.now() < until) {
        await stream.sleep(EVERY_MS);
        const next = JSON.stringify(await agentStatus(service, caller, agentId));
        if (next !== status) await stream.writeSSE({ event: "status", data: next });
        status = next;
      }
    });
  });
}
