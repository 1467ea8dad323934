import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendJson } from "./fake-embeddings.ts";
import { readBody } from "./read-body.ts";

export type ProviderShape = "openai" | "voyage" | "mistral" | "ollama" | "openai-compatible" | "gemini";

export type Fault =
  | { status: number; headers?: Record<string, string>; retryDelay?: string; reason?: string }
  | "hang"
  | "truncated"
  | "few"
  | "dimension"
  | "nan"
  | "null"
  | "drip"
  | "reset";

export interface SeenRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  /** The texts of the request, wherever the API puts them. */
  texts: string[];
}

export interface FakeProvider {
  /** The base URL that a user would configure. */
  url: string;
  /** The only valid key. Setting another one revokes it. */
  key: string;
  requests: SeenRequest[];
  /** The faults of the next requests, one each; undefined lets a request pass. */
  script: (Fault | undefined)[];
  /** The fault of every request after the end of the script. */
  steady: Fault | undefined;
  close(): Promise<void>;
}

/** The documented fields of each API. An API that checks its fields refuses any other field. */
const FIELDS: Record<ProviderShape, string[] | undefined> = {
  openai: ["model", "input", "encoding_format", "dimensions", "user"],
  voyage: ["model", "input", "input_type", "truncation", "output_dimension", "output_dtype", "encoding_format"],
  mistral: ["model", "input", "encoding_format", "output_dimension", "output_dtype", "metadata"],
  ollama: undefined,
  "openai-compatible": undefined,
  gemini: ["requests"],
};
const MAX_TEXTS: Record<ProviderShape, number> = {
  openai: 2048,
  voyage: 1000,
  mistral: 256,
  ollama: 1e6,
  "openai-compatible": 1e6,
  gemini: 100,
};

/**
 * Starts an embedding API on loopback, written from its documentation, that fails as told. Its
 * error texts repeat the key and the input.
 */
export async function startFakeProvider(shape: ProviderShape, defaultDimensions = 8): Promise<FakeProvider> {
  const server = createServer(async (request, response) => {
    const sent = await readBody(request);
    if (!sent) return;
    const body = JSON.parse(sent.toString("utf8")) as Record<string, unknown>;
    const seen = { path: request.url ?? "", headers: request.headers, body, texts: textsOf(shape, body) };
    fake.requests.push(seen);
    const fault = fake.script.length > 0 ? fake.script.shift() : fake.steady;
    const problem = refusal(shape, fake.key, seen);
    if (typeof fault === "object") return sendError(shape, response, seen, fault);
    if (problem) return sendError(shape, response, seen, problem);
    const vectors = seen.texts.map((text, i) => vectorOf(text, sizeOf(body) ?? defaultDimensions, i));
    answer(shape, response, seen, vectors, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeProvider = {
    url: shape === "gemini" ? origin : `${origin}/v1`,
    key: "sk-very-secret-key",
    requests: [],
    script: [],
    steady: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

interface GeminiRequest {
  model?: string;
  content?: { parts?: { text?: string }[] };
  outputDimensionality?: number;
}

function geminiRequests(body: Record<string, unknown>): GeminiRequest[] {
  return Array.isArray(body.requests) ? (body.requests as GeminiRequest[]) : [];
}

function textsOf(shape: ProviderShape, body: Record<string, unknown>): string[] {
  if (shape === "gemini") return geminiRequests(body).map((request) => request.content?.parts?.[0]?.text ?? "");
  return Array.isArray(body.input) ? (body.input as string[]) : [String(body.input)];
}

function sizeOf(body: Record<string, unknown>): number | undefined {
  const size = body.dimensions ?? body.output_dimension ?? geminiRequests(body)[0]?.outputDimensionality;
  return typeof size === "number" ? size : undefined;
}

/** Returns how the real API refuses such a request; undefined if it accepts it. */
function refusal(shape: ProviderShape, key: string, seen: SeenRequest): Exclude<Fault, string> | undefined {
  const { path, headers, body, texts } = seen;
  const invalid = { status: shape === "mistral" ? 422 : 400 };
  const model = /^\/v1(?:beta)?\/(models\/[^:]+):batchEmbedContents$/.exec(path)?.[1];
  if (shape === "gemini" ? model === undefined : path !== "/v1/embeddings") return { status: 404 };
  if (shape === "gemini" && headers["x-goog-api-key"] !== key) return { status: 400, reason: "API_KEY_INVALID" };
  const bearer = ["openai", "voyage", "mistral"].includes(shape);
  if (bearer && headers.authorization !== `Bearer ${key}`) return { status: 401 };
  const fields = FIELDS[shape];
  const unknown = fields && Object.keys(body).some((field) => !fields.includes(field));
  const otherModel = geminiRequests(body).some((request) => request.model !== model);
  const format = shape === "voyage" && ![undefined, null, "base64"].includes(body.encoding_format as undefined);
  const wrong = unknown || otherModel || format || texts.length > MAX_TEXTS[shape] || texts.includes("");
  return wrong ? invalid : undefined;
}

function sendError(
  shape: ProviderShape,
  response: ServerResponse,
  seen: SeenRequest,
  { status, headers, retryDelay, reason }: Exclude<Fault, string>,
): void {
  const message = `refused ${JSON.stringify(seen.headers)} ${seen.texts.join(" ")}`;
  const details = [
    ...(reason === undefined ? [] : [{ ...info("ErrorInfo"), reason }]),
    ...(retryDelay === undefined ? [] : [{ ...info("RetryInfo"), retryDelay }]),
  ];
  const bodies: Partial<Record<ProviderShape, unknown>> = {
    gemini: { error: { code: status, message, status: "INVALID_ARGUMENT", details } },
    voyage: { detail: message },
    mistral: { object: "error", message, type: "invalid_request_error", param: null, code: null },
  };
  const openai = { error: { message, type: "invalid_request_error", param: message, code: reason ?? message } };
  sendJson(response, status, bodies[shape] ?? openai, { "x-echo": message.slice(0, 200), ...headers });
}

function info(type: string): { "@type": string } {
  return { "@type": `type.googleapis.com/google.rpc.${type}` };
}

function answer(
  shape: ProviderShape,
  response: ServerResponse,
  seen: SeenRequest,
  vectors: unknown[][],
  fault: Exclude<Fault, object> | undefined,
): void {
  if (fault === "hang") return;
  if (fault === "reset") return void response.socket?.destroy();
  let sent: unknown[][] = vectors;
  if (fault === "few") sent = vectors.slice(1);
  if (fault === "dimension") sent = vectors.map((vector) => vector.slice(1));
  if (fault === "null") sent = vectors.map((vector) => [null, ...vector.slice(1)]);
  const usage = { prompt_tokens: seen.texts.length * 7, total_tokens: seen.texts.length * 7 };
  const data = sent.map((embedding, index) => ({ object: "embedding", index, embedding }));
  const answers =
    shape === "gemini" ? { embeddings: sent.map((values) => ({ values })) } : { object: "list", data, usage };
  const json = JSON.stringify(answers);
  response.writeHead(200, { "content-type": "application/json" });
  if (fault === "truncated") response.end(json.slice(0, json.length / 2));
  else if (fault === "nan") response.end(json.replace(/-?\d+\.\d+/, "NaN"));
  else if (fault === "drip") drip(response, json);
  else response.end(json);
}

/** Sends a character now and then: the answer is never silent and never complete. */
function drip(response: ServerResponse, json: string): void {
  let sent = 0;
  const timer = setInterval(() => response.write(json[sent++ % json.length]), 10);
  response.on("close", () => clearInterval(timer));
}

/** Returns a vector that is not of unit length and differs for texts of different length. */
function vectorOf(text: string, dimensions: number, position: number): number[] {
  return Array.from({ length: dimensions }, (_, i) => 2.5 + ((text.length + i * (position + 3)) % 11));
}
