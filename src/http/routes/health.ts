import { z } from "@hono/zod-openapi";
import { probeReady } from "../../service/core/probe-health.ts";
import { routesOf } from "../route.ts";
import { json } from "../schemas.ts";

const state = z.object({ status: z.string(), version: z.string() });

const route = routesOf("Health");

/** The probes of an orchestrator. */
export const healthRoutes = [
  route("GET /health/live", {
    operationId: "healthLive",
    summary: "The process runs",
    description: "An orchestrator restarts a process that does not answer.",
    scope: "none",
    answer: json(state, "It runs"),
    handle:
      ({ service: { version } }) =>
      ({ c }) =>
        c.json({ status: "live", version }),
  }),
  route("GET /health/startup", {
    operationId: "healthStartup",
    summary: "The process has started and has checked migrations; before that nothing answers here",
    description: "An orchestrator waits for it before it asks the other probes.",
    scope: "none",
    answer: json(state, "It has"),
    handle:
      ({ service: { version } }) =>
      ({ c }) =>
        c.json({ status: "started", version }),
  }),
  route("GET /health/ready", {
    operationId: "healthReady",
    summary: "Requests can be served",
    description:
      "An orchestrator sends no requests to a process that is not ready, for example while its database is away.",
    scope: "none",
    answer: json(state, "They can"),
    also: {
      503: json(
        state,
        "Some or all requests cannot be served: the database is unavailable, busy, read-only or without the service's tables, or the process is stopping",
      ),
    },
    handle:
      ({ service, accepting }) =>
      async ({ c }) => {
        const { version } = service;
        if (!accepting()) return c.json({ status: "stopping", version }, 503);
        const status = await probeReady(service);
        return c.json({ status, version }, status === "ready" ? 200 : 503);
      },
  }),
];
