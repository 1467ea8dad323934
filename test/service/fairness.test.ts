import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmbedInputType } from "../../src/embeddings/embedder.ts";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { needsPostgres } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

const AGENTS = 8;
const BATCH = 5;
/** The most jobs of one kind that a worker runs at the same time. */
const HANDS = 2;

/**
 * The provider's time for a batch. Without this delay, all other batches would be embedded while a
 * small file waits for more texts.
 */
const LATENCY_MS = 40;

/** Records the batches of documents in the order of the requests. */
class LoggingEmbedder extends WordEmbedder {
  override readonly maxBatchTexts = BATCH;
  readonly seen: (readonly string[])[] = [];
  before: ((texts: readonly string[]) => Promise<void>) | undefined;
  override async embed(texts: readonly string[], inputType: EmbedInputType, signal?: AbortSignal) {
    if (inputType === "document") {
      this.seen.push(texts);
      await this.before?.(texts);
      await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    }
    return super.embed(texts, inputType, signal);
  }
}

describe("a tenant with one file beside one with much to do", () => {
  let api: TestApp;
  let small: string;
  const apps: TestApp[] = [];
  const embedder = new LoggingEmbedder();
  beforeEach(async () => {
    embedder.seen.splice(0);
    embedder.before = undefined;
    api = await startTestApp({ worker: false, embedder });
    apps.push(api);
    small = await api.key(["tenant"], { tenantId: await api.tenant("small") });
  });
  afterEach(async () => {
    for (const app of apps.splice(0).reverse()) await app.drop();
  });

  const startWorker = async (env: Record<string, string> = {}) => {
    const worker = await startTestApp({ on: api, embedder, env });
    apps.push(worker);
    return worker;
  };
  const status = async (agent: string, key?: string) =>
    (await api.call<AgentStatus>("GET", `/v1/agents/${agent}/status`, undefined, key)).body;
  const fill = (agent: string, files: number, key?: string) => {
    const put = Array.from({ length: files }, (_, i) => ({ path: `n${i}.md`, content: `Note ${i} of ${agent}` }));
    return api.call("POST", `/v1/agents/${agent}/files`, { put }, key);
  };
  const agents = Array.from({ length: AGENTS }, (_, i) => `big${i}`);
  const rechunk = { settings: { chunking: { tokens: 200, overlap: 20 } } };

  // On a busy machine the small file's job may begin late, while the others' batches go on. So a failed
  // try is repeated: an unfair queue fails every time.
  test("its embedding waits for the batches under way, not for eight agents' turns", { retry: 2 }, async () => {
    for (const agent of agents) await fill(agent, 4 * BATCH);
    await fill("only", 1, small);
    await startWorker();
    await until(async () => (await status("only", small)).pendingEmbeddings === 0);
    const place = embedder.seen.findIndex((batch) => batch.some((text) => text.endsWith("only")));
    // The batches that are under way come first. So do the batches that the other worker requests
    // while this file waits a tenth of a second for more texts. At the end of the queue the file
    // would come after all 32 batches.
    expect(place).toBeLessThanOrEqual(8 * HANDS);
    // The other agents are finished too.
    await Promise.all(agents.map((agent) => api.embedded(agent)));
  });

  test("its embedding is made while every other worker waits for the provider's answer to the other tenant", async () => {
    const held = Promise.withResolvers<void>();
    const asked: string[] = [];
    embedder.before = async (texts) => {
      if (!texts.some((text) => text.includes(" of big"))) return;
      asked.push(...texts);
      await held.promise;
    };
    for (const agent of agents) await fill(agent, BATCH);
    await startWorker();
    await until(() => new Set(asked.map((text) => text.split(" of ")[1])).size === HANDS);
    await fill("only", 1, small);
    await until(async () => (await status("only", small)).pendingEmbeddings === 0);
    await fill("another", 1, small);
    await until(async () => (await status("another", small)).pendingEmbeddings === 0);
    expect(new Set(asked.map((text) => text.split(" of ")[1])).size).toBe(HANDS);
    held.resolve();
    await Promise.all(agents.map((agent) => api.embedded(agent)));
  });

  test("its reindex comes next, not after eight agents'", async () => {
    for (const agent of agents) await fill(agent, 1);
    for (const agent of agents) await api.call("PATCH", `/v1/agents/${agent}`, rechunk);
    await fill("only", 1, small);
    await api.call("PATCH", "/v1/agents/only", rechunk, small);
    await startWorker();
    const built = async (agent: string, key?: string) => (await status(agent, key)).reindex.state === "none";
    await until(async () => built("only", small));
    await until(async () => (await Promise.all(agents.map((agent) => built(agent)))).every(Boolean));
    const { rows } = await api.db.executeSql<{ id: string; schema: string }>(
      "SELECT id, schema_name AS schema FROM recollect.agents",
    );
    const begun: [string, Date][] = [];
    for (const { id, schema } of rows) {
      const active = await api.db.executeSql<{ at: Date }>(
        `SELECT created_at AS at FROM ${schema}.generations WHERE status = 'active'`,
      );
      begun.push([id, active.rows[0]?.at ?? new Date(0)]);
    }
    const order = begun.toSorted(([, a], [, b]) => a.getTime() - b.getTime()).map(([id]) => id);
    expect(order.indexOf("only")).toBeLessThanOrEqual(HANDS);
  });

  test("a long fill gives way between two pages", async () => {
    await fill("long", 100);
    await fill("only", 1, small);
    const cut: string[] = [];
    const begin = Promise.withResolvers<void>();
    const { preparer } = (await startWorker()).runtime.deps;
    const prepare = preparer.prepare.bind(preparer);
    preparer.prepare = async (tenantId, request) => {
      cut.push(request.content);
      await begin.promise;
      return prepare(tenantId, request);
    };
    await api.call("PATCH", "/v1/agents/long", rechunk);
    await until(async () => cut.length > 0);
    await api.call("PATCH", "/v1/agents/only", rechunk, small);
    begin.resolve();
    await until(async () => (await status("only", small)).reindex.state === "none");
    await until(async () => (await status("long")).reindex.state === "none");
    expect(cut.length).toBe(101);
    expect(cut.findIndex((content) => content.endsWith("only"))).toBeLessThan(100);
  });

  const options = needsPostgres("the embedded database has one session, so nothing is beside an index that is built");
  test("an index that takes minutes to build holds up nothing else", options, async () => {
    await fill("large", 60);
    const worker = await startWorker({ RECOLLECT_VECTOR_INDEX_THRESHOLD: "50" });
    const { rows } = await api.db.executeSql<{ schema: string }>("SELECT schema_name AS schema FROM recollect.agents");
    const release = Promise.withResolvers<void>();
    // CREATE INDEX CONCURRENTLY waits for transactions that may still write to the table.
    const holding = api.db.transaction(async (tx) => {
      await tx.executeSql(`LOCK TABLE ${rows[0]?.schema}.vectors_1 IN ROW EXCLUSIVE MODE`);
      await release.promise;
    });
    // The job that only checks whether the agent still grows has ended.
    const building = "SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()";
    await until(async () => (await api.db.executeSql(building)).rows.length === 1);
    await fill("only", 1, small);
    await worker.call("PATCH", "/v1/agents/only", rechunk, small);
    await until(async () => (await status("only", small)).reindex.state === "none");
    await until(async () => (await status("only", small)).jobs["maintain-index"]?.waiting === 0);
    expect((await status("large")).jobs["build-index"]?.active).toBe(1);
    release.resolve();
    await holding;
    await until(async () => (await status("large")).vector.index === "hnsw");
  });
});
