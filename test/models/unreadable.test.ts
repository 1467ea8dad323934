import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import { createEndpointReranker } from "../../src/models/endpoint-reranker.ts";
import { createGeminiChat } from "../../src/models/gemini-chat.ts";
import { createOpenAiChat } from "../../src/models/openai-chat.ts";

const SIGNAL = new AbortController().signal;
let url: string;
let type: string;
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": type });
  response.end("Welcome! {not JSON");
});
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const endpoint = (provider: string) => ({ provider, model: "m", apiKey: "sk-secret", baseUrl: url });
const embed = async (provider: "openai" | "gemini" | "voyage" | "mistral" | "ollama" | "openai-compatible") => {
  const options = { provider, cacheDir: "", baseUrl: url, apiKey: "sk-secret", model: "m", outputDimensionality: 8 };
  const embedder = await createEmbedder({ ...options, resilience: { sleep: async () => undefined } });
  return embedder?.embed(["text"], "document");
};
const prompt = { system: "s", user: "u", maxTokens: 9 };

test.each(["application/json", "text/plain"])("an answer of type %s that is no JSON is named", async (given) => {
  type = given;
  const calls = {
    openai: () => embed("openai"),
    gemini: () => embed("gemini"),
    voyage: () => embed("voyage"),
    mistral: () => embed("mistral"),
    ollama: () => embed("ollama"),
    "openai-compatible": () => embed("openai-compatible"),
    "chat of OpenAI": () => createOpenAiChat(endpoint("openai")).complete(prompt, SIGNAL),
    "chat of Gemini": () => createGeminiChat(endpoint("gemini")).complete(prompt, SIGNAL),
    "rerank server": () => createEndpointReranker(endpoint("cohere")).rerank("q", ["a"], SIGNAL),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = (await call().catch((caught: unknown) => caught)) as Error;
    expect(error.message, name).toMatch(/not with valid JSON/);
    expect(error, name).toMatchObject({ code: expect.stringMatching(/^(embedder|model)_unavailable$/) });
  }
});
