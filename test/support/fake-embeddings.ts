import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "./read-body.ts";

export interface FakeEmbeddings {
  /** The base URL for the openai package. */
  url: string;
  /** The number of requests for each text. */
  asked: Map<string, number>;
  requests: {
    path: string;
    body: { model: string; input: string[]; dimensions?: number };
    headers: IncomingMessage["headers"];
  }[];
  /** Set to change the answer; returns true if it has given the answer. */
  fault: ((response: ServerResponse, input: string[]) => boolean) | undefined;
  /** Set to hold answers until it resolves. */
  gate: Promise<void> | undefined;
  close(): Promise<void>;
}

/**
 * Starts OpenAI's `POST /v1/embeddings` on loopback, as documented, with vectors made of the words
 * of each text.
 */
export async function startFakeEmbeddings(defaultDimensions = 64): Promise<FakeEmbeddings> {
  const fake: FakeEmbeddings = {
    url: "",
    asked: new Map(),
    requests: [],
    fault: undefined,
    gate: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    const sent = await readBody(request);
    if (!sent) return;
    const body = JSON.parse(sent.toString("utf8"));
    fake.requests.push({ path: request.url ?? "", body, headers: request.headers });
    if (fake.gate) await fake.gate;
    if (fake.fault?.(response, body.input)) return;
    for (const text of body.input) fake.asked.set(text, (fake.asked.get(text) ?? 0) + 1);
    const data = (body.input as string[]).map((text, index) => ({
      object: "embedding",
      index,
      embedding: wordVector(text, body.dimensions ?? defaultDimensions),
    }));
    sendJson(response, 200, {
      object: "list",
      data: data.reverse(),
      model: body.model,
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return fake;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  return true;
}

function wordVector(text: string, dimensions: number): number[] {
  const vector = Array<number>(dimensions).fill(0.01);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 7;
    for (const char of word) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) >>> 0;
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1;
  }
  return vector;
}
