import { createRoute, z } from "@hono/zod-openapi";
import { probeReady } from "../../service/doctor/probe-health.ts";
import type { App, HttpDeps } from "../context.ts";
import { json } from "../schemas.ts";

const state = z.object({ status: z.string(), version: z.string() });

const live = createRoute({
  method: "get",
  path: "/health/live",
  operationId: "healthLive",
  tags: ["Health"],
  security: [],
  summary: "The process runs",
  responses: { 200: json(state, "It runs") },
});

const ready = createRoute({
  method: "get",
  path: "/health/ready",
  operationId: "healthReady",
  tags: ["Health"],
  security: [],
  summary: "Requests can be served",
  responses: {
    200: json(state, "They can"),
    503: json(state, "They cannot: the database is away, or the process is stopping"),
  },
});

const startup = createRoute({
  method: "get",
  path: "/health/startup",
  operationId: "healthStartup",
  tags: ["Health"],
  security: [],
  summary: "The process has started: migrations were checked; before that nothing answers here",
  responses: { 200: json(state, "It has") },
});

/** GET the probes of an orchestrator. */
export function registerHealth(app: App, { service, version, accepting }: HttpDeps): void {
  app.openapi(live, (c) => c.json({ status: "live", version }, 200));
  app.openapi(startup, (c) => c.json({ status: "started", version }, 200));
  app.openapi(ready, async (c) => {
    if (!accepting()) return c.json({ status: "stopping", version }, 503);
    return (await probeReady(service))
      ? c.json({ status: "ready", version }, 200)
      : c.json({ status: "database unavailable", version }, 503);
  });
}
