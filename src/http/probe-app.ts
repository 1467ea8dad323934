import { Hono } from "hono";

/**
 * The state of the process as the operator's own port shows it, from before the database is open
 * until it is closed.
 */
export interface Probes {
  /**
   * Returns whether the start is over: migrations were checked, and the process serves requests or
   * takes jobs.
   */
  started(): boolean;
  ready(): Promise<boolean>;
  metrics(): Promise<{ type: string; text: string }>;
}

/**
 * Builds the app with metrics and probes, for a port that only the operator reaches. It asks for no
 * key: a key would have to be looked up in the database, and metrics matter most while the database
 * is unavailable.
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
