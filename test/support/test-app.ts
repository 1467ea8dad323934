import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import type { SearchOutput } from "../../src/service/search-memory.ts";
import type { WrittenFile } from "../../src/service/write-files.ts";
import { compose, type Runtime } from "../../src/start/compose.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
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
  /** Sends a request to the app and returns status and parsed body. */
  call<T = ErrorBody>(method: string, path: string, body?: unknown): Promise<Answer<T>>;
  put(path: string, content: string, agent?: string): Promise<Answer<WrittenFile>>;
  search(query: string, options?: Record<string, unknown>, agent?: string): Promise<SearchOutput>;
  /** Resolves when no chunk of the agent waits for its embedding. */
  embedded(agent?: string): Promise<void>;
}

/** The whole service in this process, on a database of its own. */
export async function startTestApp(
  options: { embedder?: Embedder | undefined; worker?: boolean; env?: Record<string, string> } = {},
): Promise<TestApp> {
  const database = await openTestDatabase();
  const embedder = new WordEmbedder();
  const runtime = await compose(readConfig({ RECOLLECT_LOG_LEVEL: "silent", ...options.env }), {
    logger: createLogger("silent"),
    worker: options.worker ?? true,
    database: { ...database.db, close: async () => undefined },
    embedder: "embedder" in options ? options.embedder : embedder,
  });
  const call = async <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    const headers = { "content-type": "application/json" };
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body), headers };
    const response = await runtime.app.request(path, init);
    return { status: response.status, body: (await response.json()) as T };
  };
  return {
    ...database,
    runtime,
    embedder,
    call: call as TestApp["call"],
    put: (path, content, agent = "main") => call<WrittenFile>("PUT", `/v1/agents/${agent}/files/${path}`, { content }),
    search: async (query, searchOptions = {}, agent = "main") =>
      (await call<SearchOutput>("POST", `/v1/agents/${agent}/tools/memory_search`, { query, ...searchOptions })).body,
    embedded: async (agent = "main") => {
      for (;;) {
        const { body } = await call<{ pendingEmbeddings: number }>("GET", `/v1/agents/${agent}/status`);
        if (body.pendingEmbeddings === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    drop: async () => {
      await runtime.close();
      await database.drop();
    },
  };
}
