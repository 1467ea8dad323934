import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "./read-body.ts";

export interface SeenModelRequest {
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

export interface FakeModel {
  /** The base URL of the OpenAI- and Cohere-shaped paths; Gemini's is the same without `/v1`. */
  url: string;
  requests: SeenModelRequest[];
  /** Returns the chat model's answer to a question. */
  reply: (user: string) => string;
  /** The reason why the model stopped, in the words of both APIs; absent if it finished. */
  ended: { openai: string; gemini: string } | undefined;
  /** Returns the relevance that the rerank server gives a document. */
  relevance: (query: string, document: string) => number;
  /** The fault of every request. */
  fault: { status: number } | "hang" | "truncated" | "huge" | undefined;
  /** Whether the rerank server answers in Voyage's form. */
  voyage: boolean;
  close(): Promise<void>;
}

/**
 * Starts chat and rerank servers on loopback, written from the documentation of OpenAI, Gemini,
 * Cohere and Voyage.
 */
export async function startFakeModel(): Promise<FakeModel> {
  const server = createServer(async (request, response) => {
    const sent = await readBody(request);
    if (!sent) return;
    const body = JSON.parse(sent.toString("utf8")) as Record<string, unknown>;
    const path = request.url ?? "";
    fake.requests.push({ path, authorization: request.headers.authorization, body });
    if (fake.fault !== undefined) return fail(response, fake.fault);
    send(response, answer(fake, path, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeModel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    reply: () => "A passage.",
    ended: undefined,
    relevance: () => 0,
    fault: undefined,
    voyage: false,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function answer(fake: FakeModel, path: string, body: Record<string, unknown>): unknown {
  if (path.endsWith("/chat/completions")) {
    const messages = body.messages as { role: string; content: string }[];
    const content = fake.reply(messages.at(-1)?.content ?? "");
    const end = fake.ended ? { finish_reason: fake.ended.openai } : {};
    return { choices: [{ message: { role: "assistant", content }, ...end }] };
  }
  if (path.includes(":generateContent")) {
    const [content] = body.contents as { parts: { text: string }[] }[];
    const text = fake.reply(content?.parts[0]?.text ?? "");
    return {
      candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: fake.ended?.gemini ?? "STOP" }],
    };
  }
  const documents = body.documents as string[];
  const results = documents
    .map((document, index) => ({ index, relevance_score: fake.relevance(String(body.query), document) }))
    .sort((a, b) => b.relevance_score - a.relevance_score);
  return fake.voyage ? { data: results } : { results };
}

function fail(response: ServerResponse, fault: NonNullable<FakeModel["fault"]>): void {
  if (fault === "hang") return;
  if (fault === "truncated") response.end('{"results": [{"index": 0, "rel');
  else if (fault === "huge") response.end(`{"padding":"${"x".repeat(3_000_000)}"}`);
  else response.writeHead(fault.status).end('{"error":{"message":"Bad key sk-secret"}}');
}

function send(response: ServerResponse, body: unknown): void {
  response.setHeader("content-type", "application/json").end(JSON.stringify(body));
}
