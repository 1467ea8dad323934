import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import type { AgentMigration } from "../../src/db/migrate/agent.ts";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import type { EmbeddingSettings } from "../../src/service/embedding/embedder-registry.ts";
import type { WrittenFile } from "../../src/service/files/write-batch.ts";
import type { SearchOutput } from "../../src/service/search/search-schemas.ts";
import { compose, type Runtime, startThreads, type Threads } from "../../src/start/compose.ts";
import { unfinishedJobs } from "./check-service.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { holdToDocument } from "./declared-errors.ts";
import { hurryJobs } from "./hurry-jobs.ts";
import { until } from "./until.ts";
import { WordEmbedder } from "./word-embedder.ts";

/** A parsed answer whose shape the test itself asserts. */
export interface Answer<T> {
  status: number;
  body: T;
}

export interface ErrorBody {
  error: { code: string; message: string; requestId: string };
}

export interface TestApp extends TestDatabase {
  runtime: Runtime;
  embedder: WordEmbedder;
  /**
   * Sends a request to the app and returns the status and the parsed body; without a key as the
   * local operator.
   */
  call<T = ErrorBody>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
    more?: Record<string, string>,
  ): Promise<Answer<T>>;
  /** Makes a key. */
  key(
    scopes: readonly string[],
    options?: { agentId?: string; tenantId?: string } & Record<string, unknown>,
  ): Promise<string>;
  /** Makes a tenant and returns its id. */
  tenant(name: string): Promise<string>;
  put(path: string, content: string, agent?: string): Promise<Answer<WrittenFile>>;
  search(query: string, options?: Record<string, unknown>, agent?: string): Promise<SearchOutput>;
  /** Resolves when no chunk of the agent waits for its embedding. */
  embedded(agent?: string): Promise<void>;
  /**
   * Resolves when no job is left. Tests of scores need this, because a job measures the values that
   * scores are compared with. When only delayed jobs are left, they run at once.
   */
  rested(): Promise<void>;
}

export interface TestAppOptions {
  embedder?: Embedder | undefined;
  /** Makes an embedder for an agent's settings. */
  embedders?: (settings: EmbeddingSettings) => Promise<Embedder | undefined>;
  worker?: boolean;
  env?: Record<string, string>;
  keyless?: boolean;
  migrations?: readonly AgentMigration[];
  /** Receives the log, at the level of RECOLLECT_LOG_LEVEL. */
  log?: { write(line: string): void };
  /** The database of another app, to run a second process on it. The other app drops it. */
  on?: TestDatabase;
}

/** The features that the run switches off: `npm run test:core` has none of them. */
const FEATURES = { RECOLLECT_FEATURES: process.env.RECOLLECT_FEATURES };
/** The variables of an app that has all features even then. */
export const ALL_FEATURES = { RECOLLECT_FEATURES: "" };

let pools: Threads | undefined;

/**
 * Returns the thread pools of all apps of this process. A thread and the rules that it warms take
 * two seconds of processor time, and most apps live for a few seconds only. Each app gets objects of
 * its own, whose methods a test may replace.
 */
function sharedThreads(): Threads {
  pools ??= startThreads(2, createLogger("silent"));
  const { preparer, parseThreads } = pools;
  return { preparer: { ...preparer }, parseThreads: { ...parseThreads } };
}

/** Starts the whole service in this process, on a separate database. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.on ?? (await openTestDatabase());
  const embedder = new WordEmbedder();
  const runtime = await compose(readConfig({ ...FEATURES, RECOLLECT_LOG_LEVEL: "silent", ...options.env }), {
    logger: createLogger(options.env?.RECOLLECT_LOG_LEVEL ?? "silent", options.log),
    worker: options.worker ?? true,
    keyless: options.keyless ?? true,
    ...(options.migrations ? { migrations: options.migrations } : {}),
    database: { ...database.db, close: async () => undefined },
    threads: sharedThreads(),
    embedder: options.embedders ?? (async () => ("embedder" in options ? options.embedder : embedder)),
  });
  holdToDocument(runtime.app);
  const call = async <T>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
    more: Record<string, string> = {},
  ): Promise<Answer<T>> => {
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const headers: Record<string, string> = { ...type, ...authorization, ...more };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await runtime.app.request(path, init);
    return { status: response.status, body: (await response.json()) as T };
  };
  return {
    ...database,
    runtime,
    embedder,
    call: call as TestApp["call"],
    key: async (scopes, { tenantId, ...options } = {}) => {
      const more: Record<string, string> = tenantId === undefined ? {} : { "recollect-tenant": tenantId };
      const { body } = await call<{ key: string }>(
        "POST",
        "/v1/keys",
        { name: "test", scopes, ...options },
        undefined,
        more,
      );
      return body.key;
    },
    tenant: async (name) => (await call<{ id: string }>("POST", "/v1/tenants", { name })).body.id,
    put: (path, content, agent = "main") => call<WrittenFile>("PUT", `/v1/agents/${agent}/files/${path}`, { content }),
    search: async (query, searchOptions = {}, agent = "main") =>
      (await call<SearchOutput>("POST", `/v1/agents/${agent}/tools/memory_search`, { query, ...searchOptions })).body,
    embedded: async (agent = "main") => {
      let left: { pendingEmbeddings: number } | undefined;
      const asked = async () => {
        left = (await call<{ pendingEmbeddings: number }>("GET", `/v1/agents/${agent}/status`)).body;
        return left.pendingEmbeddings === 0;
      };
      await until(asked, () => `the embeddings of ${agent}: ${JSON.stringify(left)}`);
    },
    rested: async () => {
      let left: string[] = [];
      const asked = async () => {
        left = await unfinishedJobs(database.db);
        if (left.length > 0) await hurryJobs(database.db);
        return left.length === 0;
      };
      await until(asked, () => `the end of ${left.join("; ")}`);
    },
    drop: async () => {
      await runtime.close();
      if (options.on === undefined) await database.drop();
    },
  };
}
