import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import { metricsReader } from "../../src/observe/process-metrics.ts";
import { embedderOpener } from "../../src/wiring/open-embedder.ts";
import { type FakeEmbeddings, sendJson, startFakeEmbeddings } from "../support/fake-embeddings.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/**
 * A word that is planted in everything that users write, in names as well as in texts, and in every
 * secret.
 */
const PLANTED = "quokka";
const PROVIDER_KEY = `sk-${PLANTED}-provider`;

interface Line {
  level: number;
  msg: string;
  requestId?: string;
  jobId?: string;
  tenantId?: string;
  agentId?: string;
  [key: string]: unknown;
}

describe("a session of an agent, seen from outside", () => {
  let fake: FakeEmbeddings;
  let app: TestApp;
  const lines: string[] = [];
  const log = () => lines.map((line) => JSON.parse(line) as Line);
  const requests = () => log().filter((line) => line.msg === "request");
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    app.runtime.app.request(path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const read = async () => {
    const { text } = await metricsReader(app.runtime.deps.metrics, () => app.runtime.gauged)();
    return text;
  };

  beforeAll(async () => {
    fake = await startFakeEmbeddings();
    const env = {
      RECOLLECT_LOG_LEVEL: "debug",
      RECOLLECT_SLOW_QUERY_MS: "1",
      RECOLLECT_PROVIDER: "openai",
      RECOLLECT_BASE_URL: fake.url,
      RECOLLECT_OUTPUT_DIMENSIONALITY: "64",
      OPENAI_API_KEY: PROVIDER_KEY,
    };
    const write = (line: string) => void lines.push(line);
    const embedders = embedderOpener(readConfig(env), createLogger("debug", { write }));
    app = await startTestApp({ env, embedders, log: { write } });
    await session();
  });
  afterAll(async () => {
    await app.drop();
    await fake.close();
  });

  async function session(): Promise<void> {
    await app.put(`${PLANTED}/notes.md`, `# ${PLANTED}\n\nThe ${PLANTED} sleeps by day.`);
    await app.embedded();
    for (let times = 0; times < 2; times++) await app.search(`where is the ${PLANTED}`);
    const capture = { messages: [{ role: "user", text: `I prefer ${PLANTED} tea.` }] };
    await app.call("POST", "/v1/agents/main/capture", capture);
    const messages = { messages: [{ role: "user", text: `A ${PLANTED} is here.` }] };
    await app.call("POST", `/v1/agents/main/sessions/slack:${PLANTED}/messages`, messages);
    // The provider's error repeats the request and the key, as real providers do.
    fake.fault = (response, input) =>
      sendJson(response, 400, { error: { message: `${PROVIDER_KEY} may not ask ${input.join()}` } });
    await app.search(`a failing ${PLANTED}`);
    await app.put("other.md", `Another ${PLANTED}.`);
    await send("GET", "/v1/tenant", { authorization: `Bearer rcl_${PLANTED}_wrong` });
    await send("GET", `/v1/agents/${PLANTED}/status`);
    await send("GET", `/v1/nowhere/${PLANTED}?q=${PLANTED}`);
    await send("POST", "/v1/agents/main/search", {}, { query: "x", [PLANTED]: PLANTED });
    await send("PUT", "/v1/agents/main/files/bad.md", {}, `{"${PLANTED}`);
    await send("GET", "/health/live", { "x-request-id": "from-the-proxy_1" });
    await send("GET", "/health/live", { "x-request-id": `not sane ${PLANTED}` });
    const jobs = () => log().filter((line) => line.msg === "job" && line.queue === "embed");
    await until(() => jobs().some((line) => line.outcome === "failed"));
  }

  test("the log has nothing of what was written, asked or presented, slow statements included", () => {
    expect(lines.filter((line) => line.includes(PLANTED))).toEqual([]);
    expect(log().filter((line) => line.msg === "slow statement").length).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThan(20);
  });

  test("each request has one line: its id, route pattern, status, duration, statements, tenant and agent", () => {
    const put = requests().find((line) => line.route === "/v1/agents/:agentId/files/:path{.+}");
    expect(put).toMatchObject({ method: "PUT", status: 200, agentId: "main", statements: expect.any(Number) });
    expect(put?.tenantId).toMatch(/^[0-9a-f-]{36}$/);
    expect(put?.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(put?.statements).toBeGreaterThan(5);
    expect(requests().filter((line) => line.requestId === put?.requestId)).toHaveLength(1);
    expect(requests()).toContainEqual(expect.objectContaining({ route: "/v1/tenant", status: 401 }));
    expect(requests()).toContainEqual(expect.objectContaining({ route: "unmatched", status: 404 }));
  });

  test("a sane request id is taken and returned, another is replaced", async () => {
    expect(requests()).toContainEqual(expect.objectContaining({ requestId: "from-the-proxy_1", level: 20 }));
    const kept = await send("GET", "/health/live", { "x-request-id": "a-b_c=1" });
    expect(kept.headers.get("x-request-id")).toBe("a-b_c=1");
    const replaced = await send("GET", "/health/live", { "x-request-id": "x".repeat(129) });
    expect(replaced.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("each job has one line, with the request it came from; one that fails says its code", () => {
    const jobs = log().filter((line) => line.msg === "job" && line.queue === "embed");
    const put = requests().find((line) => line.method === "PUT");
    expect(jobs[0]).toMatchObject({ outcome: "completed", requestId: put?.requestId, agentId: "main" });
    expect(jobs[0]?.jobId).toMatch(/^[0-9a-f-]{36}$/);
    expect(jobs.find((line) => line.outcome === "failed")).toMatchObject({ code: "embedder_unavailable", level: 40 });
  });

  test("metrics count requests, searches by mode, phase and arm, caches, providers, statements, jobs and tenants", async () => {
    const text = await read();
    expect(text).not.toContain(PLANTED);
    for (const series of [
      'http_request_duration_seconds_count{method="GET",route="unmatched",status="404"} 1',
      'search_duration_seconds_count{mode="hybrid"} 2',
      'search_duration_seconds_count{mode="keyword"} 1',
      'search_phase_duration_seconds_count{phase="fuse"} 2',
      'search_candidates_count{arm="vector"} 1',
      'search_candidates_count{arm="keyword"} 2',
      "searches_degraded_total 1",
      'cache_lookups_total{cache="answers",result="hit"} 1',
      'cache_lookups_total{cache="query_vectors",result="miss"} 2',
      'embed_duration_seconds_count{provider="openai",model="text-embedding-3-small",kind="query",outcome="ok"} 1',
      'embed_duration_seconds_count{provider="openai",model="text-embedding-3-small",kind="query",outcome="embedder_rejected"} 1',
    ])
      expect(text).toContain(`recollect_${series}\n`);
    expect(text).toMatch(/recollect_embed_tokens_total\{[^}]*kind="document"\} [1-9]/);
    expect(text).toMatch(/recollect_job_duration_seconds_count\{queue="embed",outcome="failed"\} [1-9]/);
    expect(text).toMatch(/recollect_tenant_requests_total\{tenant="[0-9a-f-]{36}"\} [1-9]/);
    expect(text).toMatch(/recollect_db_statement_duration_seconds_count\{operation="BEGIN"\} [1-9]/);
    expect(text).toMatch(/recollect_queue_jobs\{queue="embed",state="waiting"\} \d/);
    expect(text).toMatch(/recollect_queue_oldest_due_seconds\{queue="dead-letter"\} 0/);
    expect(text).toMatch(/^recollect_worker_silent_seconds 0$/m);
    if (app.url !== undefined) expect(text).toContain('recollect_db_pool_connections{state="idle"}');
  });

  test("the queues are asked for once in a few seconds, and when they do not answer the rest is told", async () => {
    let asked = 0;
    const silentMs = async () => 90_000;
    const depths = async () => [{ queue: `q${++asked}`, waiting: 7, active: 0, oldestDueSeconds: 3 }];
    const { metrics } = app.runtime.deps;
    const once = metricsReader(metrics, () => ({ depths, silentMs, pool: () => undefined }));
    expect((await once()).text).toContain('recollect_queue_jobs{queue="q1",state="waiting"} 7');
    expect((await once()).text).toContain("recollect_worker_silent_seconds 90");
    expect(asked).toBe(1);
    const away = metricsReader(metrics, () => ({
      depths: () => Promise.reject(new Error()),
      silentMs,
      pool: () => undefined,
    }));
    const { text } = await away();
    expect(text).toContain("recollect_searches_degraded_total 1");
    expect(text).not.toContain("recollect_queue_jobs{");
    expect(text).not.toMatch(/^recollect_worker_silent_seconds/m);
  });
});
