import { Hono } from "hono";

/** What the operator's own port is told of the process, from before the database is open until it is closed. */
export interface Probes {
  /** Whether migrations were checked and the process serves or takes jobs. */
  started(): boolean;
  ready(): Promise<boolean>;
  metrics(): Promise<{ type: string; text: string }>;
}

/**
 * Metrics and probes for a port that only the operator reaches: no key is asked for, since a key would have to be looked up
 * in the database, and metrics matter most when that is away.
 */
export function buildProbeApp(probes: Probes): Hono {
  const app = new Hono();
  app.get("/metrics", async (c) => {
    const { type, text } = await probes.metrics();
    return c.body(text, 200, { "content-type": type });
  });
  app.get("/health/live", (c) => c.json({ status: "live" }));
  app.get("/health/startup", (c) =>
    probes.started() ? c.json({ status: "started" }) : c.json({ status: "starting" }, 503),
  );
  app.get("/health/ready", async (c) =>
    (await probes.ready()) ? c.json({ status: "ready" }) : c.json({ status: "not ready" }, 503),
  );
  return app;
}
