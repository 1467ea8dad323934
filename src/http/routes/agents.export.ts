import { createRoute, z } from "@hono/zod-openapi";
import { exportAgent } from "../../service/archive/export-agent.ts";
import type { App, HttpDeps } from "../context.ts";
import { ARCHIVE_TYPE, agentParam, errorResponses, needs } from "../schemas.ts";
import { streamLimit } from "../stream-limit.ts";

const query = z.strictObject({
  vectors: z.enum(["true", "false"]).default("false").openapi({ description: "Whether embeddings go with it" }),
});

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/archive",
  operationId: "agentsExport",
  tags: ["Agents"],
  summary: "An agent's memory as a portable archive: gzip'd JSON lines",
  ...needs("tenant"),
  request: { params: agentParam, query },
  responses: {
    200: { description: "The archive, as it is made", content: { [ARCHIVE_TYPE]: { schema: z.string() } } },
    ...errorResponses,
  },
});

const MOST_AT_ONCE = 4;

/** GET an agent's archive as a stream. */
export function registerAgentsExport(app: App, { service, version }: HttpDeps): void {
  const takePlace = streamLimit(MOST_AT_ONCE, "exports");
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    const free = takePlace();
    const options = { vectors: c.req.valid("query").vectors === "true", service: version };
    const archive = await exportAgent(service, c.get("caller"), agentId, options).catch((error: unknown) => {
      free();
      throw error;
    });
    const counted = new TransformStream<Uint8Array, Uint8Array>();
    void archive.pipeTo(counted.writable).then(free, free);
    return c.body(counted.readable, 200, {
      "content-type": ARCHIVE_TYPE,
      "content-disposition": `attachment; filename="${agentId}.archive"`,
      "cache-control": "no-store",
    });
  });
}
