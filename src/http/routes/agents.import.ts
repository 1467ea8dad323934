import { createRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../base/errors.ts";
import { importAgent } from "../../service/archive/import-agent.ts";
import type { App, HttpDeps } from "../context.ts";
import { ARCHIVE_PATH, ARCHIVE_TYPE, errorResponses, json, needs } from "../schemas.ts";
import { streamLimit } from "../stream-limit.ts";

const query = z.strictObject({
  as: z.string().optional().openapi({ description: "The agent's id; the one it had when absent" }),
  settings: z
    .enum(["keep", "drop"])
    .default("keep")
    .openapi({ description: "`drop`: leave out the settings and limits that it had" }),
});

const answer = z
  .object({
    ...{ id: z.string(), files: z.int(), sessions: z.int(), messages: z.int(), facts: z.int(), vectors: z.int() },
    vectorsUsed: z.boolean(),
    pendingEmbeddings: z.int(),
  })
  .openapi("ImportedAgent");

const route = createRoute({
  method: "post",
  path: ARCHIVE_PATH,
  operationId: "agentsImport",
  tags: ["Agents"],
  summary: "Make an agent out of an archive, all or nothing",
  ...needs("tenant"),
  request: {
    query,
    // Not `required`, or it would be read before anybody looks at it.
    body: { description: "An archive", content: { [ARCHIVE_TYPE]: { schema: z.string() } } },
  },
  responses: { 201: json(answer, "What it holds"), ...errorResponses },
});

const MOST_AT_ONCE = 2;

/** POST an agent's archive. */
export function registerAgentsImport(app: App, { service }: HttpDeps): void {
  const takePlace = streamLimit(MOST_AT_ONCE, "imports");
  app.openapi(route, async (c) => {
    const { as, settings } = c.req.valid("query");
    const body = c.req.raw.body;
    if (body === null) throw new AppError("archive_invalid", "The request has no body; send an archive.");
    const free = takePlace();
    try {
      const options = { as, settings: settings === "keep" };
      return c.json(await importAgent(service, c.get("caller"), body, options), 201);
    } finally {
      free();
    }
  });
}
