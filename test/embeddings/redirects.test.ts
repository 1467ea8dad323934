import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTransport } from "../../src/client/transport.ts";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import type { EmbedBatches } from "../../src/embeddings/embed-batches.ts";
import { createEndpointReranker } from "../../src/models/endpoint-reranker.ts";
import { createGeminiChat } from "../../src/models/gemini-chat.ts";
import { createOpenAiChat } from "../../src/models/openai-chat.ts";
import { connectTo } from "../../src/wiring/connect-to-server.ts";
import type { ProviderShape } from "../support/fake-provider.ts";
import { type Redirector, startRedirector } from "../support/redirector.ts";

/** A redirect would take the key, the headers and the texts to a host that no setting names. */

const SECRET = "sk-very-secret-key";
const TEXT = "a private text";
const STATUSES = [301, 302, 303, 307, 308];
const signal = new AbortController().signal;

let hosts: Redirector;
beforeEach(async () => {
  hosts = await startRedirector();
});
afterEach(() => hosts.close());

const embedder = async (provider: ProviderShape) => {
  const baseUrl = provider === "gemini" ? hosts.url : `${hosts.url}/v1`;
  const made = await createEmbedder({
    provider,
    cacheDir: "",
    baseUrl,
    apiKey: SECRET,
    model: "m",
    outputDimensionality: 8,
    headers: { "x-gateway": "very-secret-team" },
    resilience: { sleep: async () => undefined },
  });
  if (!made) throw new Error("no embedder");
  return made;
};

const batches = async (shape: "openai" | "gemini"): Promise<EmbedBatches> => {
  const { batches: made } = await embedder(shape);
  if (!made) throw new Error("no batches");
  return made;
};

const drain = async (results: AsyncIterable<unknown>) => {
  for await (const _ of results);
};

const endpoint = (provider: string) => ({ provider, model: "m", apiKey: SECRET, baseUrl: hosts.url });
const prompt = { system: "s", user: TEXT, maxTokens: 10 };

/** Every client of outside hosts, by name, with a call that meets a redirect. */
const PROVIDER_CALLS: Record<string, () => Promise<unknown>> = {
  ...Object.fromEntries(
    (["openai", "gemini", "voyage", "mistral", "ollama", "openai-compatible"] as const).flatMap((shape) => [
      [`${shape}: documents`, async () => (await embedder(shape)).embed([TEXT], "document")],
      [`${shape}: a query`, async () => (await embedder(shape)).embed([TEXT], "query", signal)],
    ]),
  ),
  "openai: dimensions of an unknown model": () =>
    createEmbedder({ provider: "openai", model: "unknown", cacheDir: "", baseUrl: hosts.url, apiKey: SECRET }),
  "gemini: dimensions of an unknown model": () =>
    createEmbedder({ provider: "gemini", model: "unknown", cacheDir: "", baseUrl: hosts.url, apiKey: SECRET }),
  ...Object.fromEntries(
    (["openai", "gemini"] as const).flatMap((shape): [string, () => Promise<unknown>][] => [
      [`${shape} batches: upload`, async () => (await batches(shape)).submit("t", [{ id: "1", text: TEXT }], signal)],
      [
        `${shape} batches: create`,
        async () => {
          hosts.answer = (path) => (/files/.test(path) ? { id: "file-1", file: { name: "files/in" } } : undefined);
          return (await batches(shape)).submit("t", [{ id: "1", text: TEXT }], signal);
        },
      ],
      [`${shape} batches: find`, async () => (await batches(shape)).find("t", new Date(), signal)],
      [`${shape} batches: state`, async () => (await batches(shape)).state("batches/b", signal)],
      [`${shape} batches: results`, async () => drain((await batches(shape)).results("files/f", signal))],
      [`${shape} batches: cancel`, async () => (await batches(shape)).cancel("batches/b", signal)],
    ]),
  ),
  "openai: chat": () => createOpenAiChat(endpoint("openai")).complete(prompt, signal),
  "openai-compatible: chat": () => createOpenAiChat(endpoint("openai-compatible")).complete(prompt, signal),
  "gemini: chat": () => createGeminiChat(endpoint("gemini")).complete(prompt, signal, { type: "object" }),
  "cohere: rerank": () => createEndpointReranker(endpoint("cohere")).rerank("q", [TEXT], signal),
  "cohere-compatible: rerank": () => createEndpointReranker(endpoint("cohere-compatible")).rerank("q", [TEXT], signal),
};

describe.each(STATUSES)("a provider's answer %i is not followed", (status) => {
  test.each(Object.keys(PROVIDER_CALLS))("%s", async (name) => {
    hosts.status = status;
    const error = await PROVIDER_CALLS[name]?.().then(
      () => "no error",
      (reason: unknown) => reason,
    );
    expect(hosts.asked.length).toBeGreaterThan(0);
    expect(hosts.followed).toEqual([]);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(embedder|model)_rejected$/) });
    expect(String(error)).toContain(`redirects to another address (status ${status})`);
  });

  test.each(["openai", "gemini"] as const)("%s batches: discard", async (shape) => {
    hosts.status = status;
    await (await batches(shape)).discard(["files/f"], signal);
    expect(hosts.asked).toHaveLength(1);
    expect(hosts.followed).toEqual([]);
  });
});

describe.each(STATUSES)("a server's answer %i is not followed by a client", (status) => {
  test.each(["GET", "POST"])("the client: %s", async (method) => {
    hosts.status = status;
    const transport = createTransport({ url: hosts.url, key: SECRET, maxTries: 1 });
    const sent = transport.send(method, "/v1/x", method === "GET" ? {} : { body: { text: TEXT } });
    await expect(sent).rejects.toThrow(/redirects/);
    await expect(transport.open("POST", "/v1/x", { body: new Blob([TEXT]).stream() })).rejects.toThrow(/redirects/);
    expect(hosts.followed).toEqual([]);
  });

  test("a command", async () => {
    hosts.status = status;
    const { fetch } = connectTo({ url: hosts.url, key: SECRET, description: "a server" });
    expect((await fetch("/v1/x", { method: "POST", body: TEXT })).status).toBe(status);
    expect(hosts.followed).toEqual([]);
  });

  test("traces", async () => {
    hosts.status = status;
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
    const exporter = new OTLPTraceExporter({ url: `${hosts.url}/v1/traces`, timeoutMillis: 2000 });
    await new Promise((resolve) => exporter.export([], resolve));
    await exporter.shutdown();
    expect(hosts.followed).toEqual([]);
  });
});

test("no other file of the source sends requests to other hosts", async () => {
  // `gemini-sdk.ts` gives Google's SDK the fetch of its caller, the tour talks to the server that it has
  // started itself, and `server-at.ts` asks a port of this machine, without a key, and follows nothing.
  const known = [
    "base/gemini-sdk.ts",
    "client/transport.ts",
    "observe/provider-fetch.ts",
    "start/tour.ts",
    "wiring/connect-to-server.ts",
    "wiring/server-at.ts",
  ];
  const callers: string[] = [];
  for await (const path of glob("**/*.ts", { cwd: "src" })) {
    const code = readFileSync(`src/${path}`, "utf8").replace(/^ *(\*|\/\/|\/\*\*).*$/gm, "");
    if (
      /(return|await|=>|[=?:(]) *fetch\(|globalThis\.fetch|\b(http|https)\.(request|get)\(|"(undici|axios)"/.test(code)
    )
      callers.push(path);
  }
  expect(callers.sort()).toEqual(known);
});
