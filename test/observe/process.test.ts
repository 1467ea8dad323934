import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import { startTracing } from "../../src/observe/start-tracing.ts";
import { observeProcess } from "../../src/start/observe-process.ts";
import { startServer } from "../../src/start/server.ts";
import { openTestDatabase } from "../support/database.ts";
import { readBody } from "../support/read-body.ts";

/** Starts a receiver of OpenTelemetry's protocol that records the requests. */
async function startReceiver() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (!body) return;
    bodies.push(`${request.url} ${body.toString("utf8")}`);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, bodies, close: () => new Promise((resolve) => server.close(resolve)) };
}

const status = async (url: string | undefined, path: string) => (await fetch(new URL(path, url))).status;

test("a server has metrics and probes on a port of their own, and sends its traces to the receiver", async () => {
  const receiver = await startReceiver();
  const folder = mkdtempSync(join(tmpdir(), "recollect-observe-"));
  const database = inject("serverUrl") === undefined ? undefined : await openTestDatabase();
  const config = readConfig({
    DATABASE_URL: database?.url,
    RECOLLECT_DATA_DIR: folder,
    RECOLLECT_PROVIDER: "none",
    RECOLLECT_METRICS_PORT: "0",
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
    OTEL_SERVICE_NAME: "team-memory",
  });
  try {
    const server = await startServer(config, { port: 0, worker: true, quiet: true });
    expect(await status(server.url, "/health/startup")).toBe(200);
    expect(await status(server.url, "/metrics")).toBe(404);
    const metrics = await fetch(new URL("/metrics", server.metricsUrl));
    expect(metrics.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await metrics.text();
    for (const name of ["nodejs_eventloop_lag_p99_seconds ", "process_resident_memory_bytes ", "recollect_build_info{"])
      expect(text).toContain(`\n${name}`);
    expect(text).toContain('route="/health/startup",status="200"} 1');
    for (const path of ["live", "startup", "ready"])
      expect(await status(server.metricsUrl, `/health/${path}`)).toBe(200);
    expect(await status(server.metricsUrl, "/v1/tenant")).toBe(404);
    server.runtime.stopAccepting();
    for (const url of [server.url, server.metricsUrl]) expect(await status(url, "/health/ready")).toBe(503);
    expect(await status(server.metricsUrl, "/health/live")).toBe(200);
    await server.stop();
    const sent = receiver.bodies.join("\n");
    expect(sent).toMatch(/^\/v1\/traces \{/);
    for (const part of ["team-memory", "GET /health/startup", "sql SELECT"]) expect(sent).toContain(part);
  } finally {
    await database?.drop();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test("before anything is open the process is alive and not started, and a database that is away is not ready", async () => {
  const logger = createLogger("silent");
  const observation = await observeProcess(readConfig({ RECOLLECT_METRICS_PORT: "0" }), logger);
  try {
    const probe = (path: string) => status(observation.url, path);
    expect([await probe("/health/live"), await probe("/health/startup"), await probe("/health/ready")]).toEqual([
      200, 503, 503,
    ]);
    expect(await probe("/metrics")).toBe(200);
    const gauged = { depths: () => Promise.reject(new Error("away")), silentMs: async () => 0, pool: () => undefined };
    observation.watch({ gauged, ready: async () => false });
    expect([await probe("/health/startup"), await probe("/health/ready"), await probe("/metrics")]).toEqual([
      200, 503, 200,
    ]);
    const port = new URL(observation.url ?? "").port;
    await expect(observeProcess(readConfig({ RECOLLECT_METRICS_PORT: port }), logger)).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("RECOLLECT_METRICS_PORT"),
    });
  } finally {
    await observation.stop();
  }
});

test("traces without the SDK are refused with the command that installs it", async () => {
  const load = () => Promise.reject(new Error("Cannot find package"));
  const starting = startTracing({ endpoint: "http://localhost:4318", serviceName: "x", version: "0", ratio: 1, load });
  await expect(starting).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining("npm install @opentelemetry/sdk-trace"),
  });
});
