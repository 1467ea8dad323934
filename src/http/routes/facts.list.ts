import { createRoute, z } from "@hono/zod-openapi";
import { timestamp } from "../../service/core/schemas.ts";
import { factCategory } from "../../service/facts/fact-schemas.ts";
import { listAgentFacts } from "../../service/facts/read-facts.ts";
import type { App, HttpDeps } from "../context.ts";
import { factPage } from "../fact-schemas.ts";
import { decodeIdCursor, toPage } from "../page.ts";
import { agentParam, errorResponses, json, needs, pageQuery } from "../schemas.ts";

const name = z.string().min(1).max(200).optional();

const query = pageQuery.extend({
  user: name,
  agent: name,
  session: name,
  key: name,
  tag: name,
  category: factCategory.optional(),
  minImportance: z.coerce.number().min(0).max(1).optional(),
  asOf: timestamp.optional(),
  all: z.stringbool().default(false).openapi({ type: "boolean", description: "Also facts that are over" }),
});

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/facts",
  operationId: "factsList",
  tags: ["Facts"],
  summary: "List an agent's facts, newest first",
  ...needs("agent:read"),
  request: { params: agentParam, query },
  responses: {
    200: json(factPage, "One page; pass `nextCursor` as `cursor` for the next"),
    ...errorResponses,
  },
});

/** GET a page of an agent's facts. */
export function registerFactsList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    const { cursor, limit, user, agent, session, tag, category, ...rest } = c.req.valid("query");
    const before = decodeIdCursor(cursor);
    const filter = {
      ...rest,
      scope: { user, agent, session },
      tags: tag === undefined ? undefined : [tag],
      categories: category === undefined ? undefined : [category],
    };
    const rows = await listAgentFacts(service, c.get("caller"), agentId, filter, { before, limit: limit + 1 });
    const { page, next } = toPage(rows, limit, (row) => row.id);
    return c.json({ facts: page, ...next }, 200);
  });
}
