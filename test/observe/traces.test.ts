import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import { embedderOpener } from "../../src/wiring/open-embedder.ts";
import { type FakeEmbeddings, startFakeEmbeddings } from "../support/fake-embeddings.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const PLANTED = "quokka";
const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

describe("traces", () => {
  const exporter = new InMemorySpanExporter();
  let fake: FakeEmbeddings;
  let app: TestApp;
  const spans = () => exporter.getFinishedSpans();
  const named = (name: RegExp, traceId?: string) =>
    spans().filter((span) => name.test(span.name) && (traceId === undefined || traceOf(span) === traceId));
  const traceOf = (span: ReadableSpan) => span.spanContext().traceId;
  const request = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.runtime.app.request(path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  /** Returns the names from a span up to the first span of its trace. */
  const ancestry = (span: ReadableSpan): string[] => {
    const parent = spans().find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId);
    return [span.name, ...(parent ? ancestry(parent) : [])];
  };

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    fake = await startFakeEmbeddings();
    const env = {
      RECOLLECT_PROVIDER: "openai",
      RECOLLECT_BASE_URL: fake.url,
      RECOLLECT_OUTPUT_DIMENSIONALITY: "64",
      OPENAI_API_KEY: `sk-${PLANTED}`,
    };
    app = await startTestApp({ env, embedders: embedderOpener(readConfig(env), createLogger("silent")) });
    await request("PUT", `/v1/agents/main/files/${PLANTED}.md`, { content: `The ${PLANTED} sleeps by day.` });
    await app.embedded();
    await until(() => named(/^job embed$/).length > 0);
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    await request("POST", "/v1/agents/main/tools/memory_search", { query: `the ${PLANTED}` }, { traceparent });
  });
  afterAll(async () => {
    await app.drop();
    await fake.close();
    trace.disable();
    context.disable();
  });

  test("a search is one trace, which goes on with the caller's: request, use case, phases, SQL and provider", () => {
    const [search] = named(/^POST \/v1\/agents\/:agentId\/tools\/memory_search$/);
    expect(search?.parentSpanContext).toMatchObject(CALLER);
    const [embed] = named(/^embed query$/, CALLER.traceId);
    const server = "POST /v1/agents/:agentId/tools/memory_search";
    expect(embed && ancestry(embed)).toEqual(["embed query", "search embed", "memory_search", server]);
    const above = named(/^sql SELECT$/, CALLER.traceId).map((span) => ancestry(span).slice(1).join(" < "));
    for (const phase of ["keyword", "vector", "fuse"])
      expect(above).toContain(`search ${phase} < transaction < memory_search < ${server}`);
    expect(search?.attributes).toMatchObject({ "http.response.status_code": 200, "recollect.agent_id": "main" });
  });

  test("the provider is told the trace", () => {
    const [embed] = named(/^embed query$/, CALLER.traceId);
    const sent = fake.requests.at(-1)?.headers.traceparent;
    expect(sent).toBe(`00-${CALLER.traceId}-${embed?.spanContext().spanId}-01`);
  });

  test("the job of a write is a trace of its own that is linked to the write's, and has SQL and provider below it", () => {
    const [put] = named(/^PUT /);
    const [job] = named(/^job embed$/);
    if (!put || !job) throw new Error("a span is missing");
    expect(traceOf(job)).not.toBe(traceOf(put));
    expect(job.parentSpanContext).toBeUndefined();
    expect(job.links.map((link) => link.context.traceId)).toContain(traceOf(put));
    expect(job.attributes["recollect.request_id"]).toBe(put.attributes["recollect.request_id"]);
    expect(named(/^write_files$/, traceOf(put)).map(ancestry)).toEqual([["write_files", put.name]]);
    const [embed] = named(/^embed document$/, traceOf(job));
    expect(embed && ancestry(embed).at(-1)).toBe("job embed");
    expect(named(/^sql INSERT$/, traceOf(put)).length).toBeGreaterThan(0);
    expect(named(/^sql /, traceOf(job)).length).toBeGreaterThan(3);
  });

  test("spans hold no content, no parameters and no keys, and the job's payload holds ids only", async () => {
    const seen = JSON.stringify(
      spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    expect(seen).toContain("db.query.text");
    expect(seen).not.toContain(PLANTED);
    const [job] = await app.runtime.deps.queue.list({ tenantId: undefined, agentId: "main", limit: 1 });
    expect(Object.keys(job?.payload ?? {}).sort()).toEqual(["agentId", "origin", "tenantId"]);
  });

  test("a failure is noted by its code, and a header that is no traceparent begins a trace", async () => {
    await app.call("POST", "/v1/agents", { id: "off" });
    await app.call("PATCH", "/v1/agents/off", { disabled: true });
    for (const traceparent of [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, PLANTED, "ff-x"])
      await request("POST", "/v1/agents/off/tools/memory_search", { query: PLANTED }, { traceparent });
    const failed = named(/^memory_search$/).filter((span) => span.attributes["error.type"] === "agent_disabled");
    expect(failed).toHaveLength(3);
    for (const span of failed) expect(traceOf(span)).not.toMatch(/^0{32}$|^0af76519/);
  });
});
