import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sendJson } from "./fake-embeddings.ts";

/** Begins the text of every search of these tests, so that it is not counted as a text to be stored. */
export const QUERY_MARK = "question:";

export interface MeteredProvider {
  /** Base URL for the openai package. */
  url: string;
  /** How often each text was charged, by `model text`; a request that has arrived is charged, answered or not. */
  charged: Map<string, number>;
  requests: number;
  close(): Promise<void>;
}

/**
 * OpenAI's `POST /v1/embeddings` on loopback that keeps an account of what it is asked, and takes its time.
 *
 * @param latencyMs how long an answer takes; asked once a request
 */
export async function startMeteredProvider(latencyMs: (texts: number) => number): Promise<MeteredProvider> {
  const provider: MeteredProvider = {
    url: "",
    charged: new Map(),
    requests: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { model, input, dimensions = 64 } = JSON.parse(Buffer.concat(parts).toString("utf8"));
    provider.requests++;
    for (const text of input as string[]) {
      if (text.startsWith(QUERY_MARK)) continue;
      const key = `${model} ${text}`;
      provider.charged.set(key, (provider.charged.get(key) ?? 0) + 1);
    }
    await new Promise((resolve) => setTimeout(resolve, latencyMs(input.length)));
    const data = (input as string[]).map((text, index) => ({
      object: "embedding",
      index,
      embedding: meteredVector(model, text, dimensions),
    }));
    sendJson(response, 200, { object: "list", data, model, usage: { prompt_tokens: 1, total_tokens: 1 } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return provider;
}

/** The provider's vector for a text: of length 1, another for every text and model, the same every time. */
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
