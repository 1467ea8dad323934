import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Exchange, end, type FakeBatch, type Stage } from "./fake-batches.ts";
import { sendJson } from "./fake-embeddings.ts";
import { OPENAI_PATHS, openAiRoutes } from "./fake-openai-batches.ts";
import { readBody } from "./read-body.ts";

/**
 * Begins the text of every search of these tests, so that the provider does not count it as a text
 * to be stored.
 */
export const QUERY_MARK = "question:";
/** The number of tokens that every text counts as. */
export const TOKENS_OF_TEXT = 7;

/**
 * A request that texts were charged for: a request for embeddings, or the request that saw a batch
 * end.
 */
export interface Charge {
  at: number;
  batch: FakeBatch | undefined;
}

export interface MeteredProvider {
  /** The base URL for the openai package. */
  url: string;
  /**
   * The charges of each text, by `model text`. A request that has arrived is charged, whether it is
   * answered or not.
   */
  charged: Map<string, Charge[]>;
  /**
   * The batches. A running batch ends when it is requested after its time; without such a request
   * it runs for ever.
   */
  batches: FakeBatch[];
  /** The result files that were downloaded. */
  downloaded: Set<string>;
  close(): Promise<void>;
}

/** Returns the settings of a process that shares a database and embeds with this provider. */
export function meteredEnv(databaseUrl: string, adminKey: string, provider: MeteredProvider): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    RECOLLECT_ADMIN_KEY: adminKey,
    RECOLLECT_PROVIDER: "openai",
    RECOLLECT_BASE_URL: provider.url,
    RECOLLECT_OUTPUT_DIMENSIONALITY: "64",
    RECOLLECT_REQUESTS_PER_MINUTE: "1000000",
    OPENAI_API_KEY: "test-key",
  };
}

/**
 * Starts OpenAI's `POST /v1/embeddings` and its batches on loopback. It records all requests and
 * delays its answers.
 *
 * @param latencyMs returns the delay of an answer, asked once per request; a batch takes a hundred
 * times as long, so that kills hit it
 */
export async function startMeteredProvider(latencyMs: () => number): Promise<MeteredProvider> {
  const charged = new Map<string, Charge[]>();
  const downloaded = new Set<string>();
  const readyAt = new Map<string, number>();
  // The current charge. A request makes all its charges before it awaits anything.
  let charge: Charge = { at: 0, batch: undefined };
  const fake: Exchange["fake"] = {
    batches: [],
    files: new Map(),
    embed: (text, { model = "", dimensions = 64 } = {}) => {
      const key = `${model} ${text}`;
      if (!text.startsWith(QUERY_MARK)) charged.set(key, [...(charged.get(key) ?? []), charge]);
      return meteredVector(model, text, dimensions);
    },
  };
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (!body) return;
    const path = request.url ?? "";
    const stage = (Object.keys(OPENAI_PATHS) as Stage[]).find((one) =>
      OPENAI_PATHS[one].test(`${request.method} ${path}`),
    );
    if (!stage) return void sendJson(response, 404, { error: { message: "no such route" } });
    const id = path.split("/")[3] ?? "";
    const batch = fake.batches.find((one) => one.id === id);
    charge = { at: Date.now(), batch };
    if (stage === "get" && batch?.outcome === "running" && Date.now() >= (readyAt.get(id) ?? 0))
      end(fake, batch, "completed", "openai");
    if (stage === "download") downloaded.add(id);
    const exchange = { fake, stage, path, fault: undefined, headers: request.headers, body };
    const reply = await openAiRoutes(exchange);
    const takesMs = latencyMs();
    if (stage === "create") readyAt.set(fake.batches.at(-1)?.id ?? "", Date.now() + 100 * takesMs);
    await new Promise((resolve) => setTimeout(resolve, takesMs));
    if ("text" in reply) response.writeHead(200, { "content-type": "application/jsonl" }).end(reply.text);
    else sendJson(response, reply.status, reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    charged,
    downloaded,
    batches: fake.batches,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Returns the provider's vector of a text: of length 1, different for every text and model, the
 * same every time.
 */
export function meteredVector(model: string, text: string, dimensions: number): number[] {
  let state = 2166136261;
  for (const char of `${model}\n${text}`) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 16777619);
  const raw = Array.from({ length: dimensions }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32 - 0.5;
  });
  const norm = Math.hypot(...raw);
  return raw.map((x) => x / norm);
}
