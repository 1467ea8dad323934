import { inspect } from "node:util";
import { storesHalf, vectorType } from "../../src/db/agent/schema/generation-tables.ts";
import { encodeVectors } from "../../src/db/vector-codec.ts";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import { toUnitVector } from "../../src/embeddings/vectors.ts";
import { jobCaller } from "../../src/service/core/authenticate.ts";
import type { Caller } from "../../src/service/core/core-deps.ts";
import type { Deps } from "../../src/service/deps.ts";
import { embedPending } from "../../src/service/indexing/embed-pending.ts";
import { reindexAgent } from "../../src/service/indexing/reindex-agent.ts";
import type { Prices } from "../../src/settings/embedding-prices.ts";
import { DIMENSIONS, type FakeBatches, vectorOf } from "./fake-batches.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "./test-app.ts";

/** A job finishes all of its work in one turn, however busy the machine is. */
export const LONG_TURN_MS = 600_000;

const TENANT = "00000000-0000-4000-8000-000000000001";

/** An app whose agents are embedded by a fake provider. Tests run the jobs by hand. */
export interface ProviderApp {
  app: TestApp;
  embedder: Embedder;
  deps: Deps;
  /** The caller of the jobs. */
  caller: Caller;
  /** All log entries, for every way in which errors get logged. */
  logged: string[];
  /** Makes an agent with `count` files of one chunk each, all of them pending. */
  fill(agent: string, count: number, settings?: Record<string, unknown>): Promise<void>;
  write(agent: string, from: number, count: number): Promise<void>;
  /** Runs the job `embed` once. */
  embed(agent: string): Promise<void>;
  /** Runs the job `reindex` once. */
  reindex(agent: string): Promise<void>;
  pending(agent: string): Promise<number>;
  /** Returns the chunks whose stored vector is not the vector of their text. */
  wrong(agent: string): Promise<string[]>;
}

export interface ProviderAppOptions extends Pick<TestAppOptions, "on" | "env"> {
  prices?: Prices;
  timeoutMs?: number;
}

/** Opens the embedder of a fake provider. @param timeoutMs how long it waits for an answer */
export async function openEmbedder(
  fake: FakeBatches,
  provider: "openai" | "gemini",
  timeoutMs = 5000,
): Promise<Embedder> {
  const embedder = await createEmbedder({
    provider,
    cacheDir: "",
    baseUrl: fake.url,
    apiKey: fake.key,
    model: "a-model",
    timeoutMs,
    outputDimensionality: DIMENSIONS,
    headers: { "x-team": "very-secret-team" },
    resilience: { sleep: async () => undefined },
  });
  if (!embedder) throw new Error("no embedder");
  return embedder;
}

export async function startProviderApp(
  fake: FakeBatches,
  provider: "openai" | "gemini",
  { prices, timeoutMs, ...options }: ProviderAppOptions = {},
): Promise<ProviderApp> {
  const embedder = await openEmbedder(fake, provider, timeoutMs);
  const app = await startTestApp({ ...options, worker: false, embedders: async () => embedder });
  const { rows: tenants } = await app.db.executeSql<{ id: string }>("SELECT id FROM recollect.tenants LIMIT 1");
  const caller = jobCaller(tenants[0]?.id ?? TENANT);
  const logged: string[] = [];
  const note = (...args: unknown[]) => void logged.push(inspect(args, { depth: 10, showHidden: true }));
  const logger = { ...app.runtime.deps.logger, info: note, warn: note, error: note } as unknown as Deps["logger"];
  // The app itself prices its usage in the same way.
  if (prices) Object.assign(app.runtime.deps.defaults, { prices });
  // The jobs that wait are the same jobs that the tests run by hand.
  const queue: Deps["queue"] = { ...app.runtime.deps.queue, othersWait: async () => false };
  const deps: Deps = { ...app.runtime.deps, queue, logger };
  const running = new AbortController().signal;
  const vectorRows = async (agent: string) => {
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
      [agent],
    );
    const schema = `"${rows[0]?.schema}"`;
    const result = await app.db.executeSql<{ heading: string; text: string; embedding: string | null }>(
      `SELECT c.heading, c.text, v.embedding::text AS embedding FROM ${schema}.chunks_1 c JOIN ${schema}.vectors_1 v ON v.chunk_id = c.id`,
    );
    return result.rows.map(({ heading, ...row }) => ({ ...row, text: heading ? `${heading}\n${row.text}` : row.text }));
  };
  const write = async (agent: string, from: number, count: number) => {
    for (let at = from; at < from + count; at += 100) {
      const size = Math.min(100, from + count - at);
      const put = Array.from({ length: size }, (_, i) => ({
        path: `n${at + i}.md`,
        content: `private note ${at + i} of ${agent}`,
      }));
      const { status } = await app.call("POST", `/v1/agents/${agent}/files`, { put });
      if (status !== 200) throw new Error(`files: ${status}`);
    }
  };
  return {
    app,
    embedder,
    deps,
    caller,
    logged,
    write,
    fill: async (agent, count, settings = {}) => {
      const { status } = await app.call("POST", "/v1/agents", { id: agent, settings });
      if (status !== 201) throw new Error(`agent: ${status}`);
      await write(agent, 0, count);
    },
    embed: (agent) => embedPending(deps, caller, agent, running, { turnMs: LONG_TURN_MS }),
    reindex: (agent) => reindexAgent(deps, caller, agent, running),
    pending: async (agent) => (await vectorRows(agent)).filter((row) => row.embedding === null).length,
    wrong: async (agent) => {
      const rows = await vectorRows(agent);
      const { rows: right } = await app.db.executeSql<{ text: string }>(
        `SELECT e::${vectorType({ halfVectors: storesHalf(app.db.kind, DIMENSIONS) })}::text AS text FROM unnest($1::vector[]) WITH ORDINALITY AS n (e, i) ORDER BY i`,
        [encodeVectors(rows.map((row) => toUnitVector(vectorOf(row.text), DIMENSIONS)))],
      );
      return rows.filter((row, i) => row.embedding !== right[i]?.text).map((row) => row.text);
    },
  };
}
