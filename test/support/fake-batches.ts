import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendJson } from "./fake-embeddings.ts";
import { GEMINI_PATHS, geminiRoutes } from "./fake-gemini-batches.ts";
import { OPENAI_PATHS, openAiRoutes } from "./fake-openai-batches.ts";
import { readBody } from "./read-body.ts";

export type Stage = "upload" | "create" | "list" | "get" | "cancel" | "download" | "delete" | "embed";
export type Outcome = "running" | "completed" | "failed" | "expired" | "cancelled";

/**
 * `lost`: the request is carried out, and the answer does not arrive. `cut`: half of the results
 * arrive. The third line has faults of results.
 */
export type BatchFault =
  | { status: number; headers?: Record<string, string> }
  | ("hang" | "reset" | "drip" | "lost" | "cut")
  | ("truncated" | "few" | "dimension" | "nan" | "missing");

/** The model and dimensions for a text, if the request names them. */
export interface Wanted {
  model?: string;
  dimensions?: number;
}

export interface FakeBatch {
  id: string;
  token: string;
  inputFile: string;
  lines: { key: string; text: string; wanted?: Wanted }[];
  createdAt: number;
  outcome: Outcome;
  outputFile: string | undefined;
}

/**
 * A fake of a provider's embeddings and batches on loopback, written from its documentation. Counts
 * the texts that it charges for.
 */
export interface FakeBatches {
  url: string;
  key: string;
  /** The faults of the next requests of a stage, one each. */
  script: Partial<Record<Stage, (BatchFault | undefined)[]>>;
  /** The fault of all other requests of a stage. */
  steady: Partial<Record<Stage, BatchFault>>;
  /** The number of times that each text was charged. */
  charged: Map<string, number>;
  /** The stages of all requests, in order. */
  seen: Stage[];
  batches: FakeBatch[];
  files: Map<string, string>;
  /** Charges for a text and makes its vector. */
  embed(text: string, wanted?: Wanted): number[];
  /** Ends every running batch; a cancelled or expired batch after half of its texts. */
  finish(outcome: Outcome): void;
  close(): Promise<void>;
}

export interface Exchange {
  fake: Pick<FakeBatches, "batches" | "files" | "embed">;
  stage: Stage;
  path: string;
  /** The fault of this request. */
  fault: BatchFault | undefined;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export type Reply = { status: number; body: unknown } | { text: string };

export const DIMENSIONS = 8;
let names = 0;

export function newName(kind: string): string {
  return `${kind}-${++names}`;
}

export async function startFakeBatches(shape: "openai" | "gemini"): Promise<FakeBatches> {
  const [paths, answer] = shape === "openai" ? [OPENAI_PATHS, openAiRoutes] : [GEMINI_PATHS, geminiRoutes];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (!body) return;
    const path = request.url ?? "";
    const stage = (Object.keys(paths) as Stage[]).find((one) => paths[one].test(`${request.method} ${path}`));
    if (!stage) return void sendJson(response, 404, { error: { message: "no such route" } });
    fake.seen.push(stage);
    await serve(response, { fake, stage, path, headers: request.headers, body }, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeBatches = {
    url: shape === "openai" ? `${origin}/v1` : origin,
    key: "sk-very-secret-key",
    script: {},
    steady: {},
    charged: new Map(),
    seen: [],
    batches: [],
    files: new Map(),
    embed: (text) => {
      fake.charged.set(text, (fake.charged.get(text) ?? 0) + 1);
      return vectorOf(text);
    },
    finish: (outcome) => {
      for (const batch of fake.batches) if (batch.outcome === "running") end(fake, batch, outcome, shape);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

async function serve(
  response: ServerResponse,
  request: Omit<Exchange, "fault"> & { fake: FakeBatches },
  answer: (exchange: Exchange) => Promise<Reply>,
): Promise<void> {
  const { fake, stage, headers } = request;
  const fault = fake.script[stage]?.length ? fake.script[stage].shift() : fake.steady[stage];
  const exchange = { ...request, fault };
  const key = headers["x-goog-api-key"] ?? headers.authorization?.replace("Bearer ", "");
  if (key !== fake.key) return refuse(response, 401, exchange);
  if (typeof fault === "object") return refuse(response, fault.status, exchange, fault.headers);
  if (fault === "hang") return;
  if (fault === "reset") return void response.socket?.destroy();
  const reply = await answer(exchange);
  if (fault === "lost") return void response.socket?.destroy();
  if ("text" in reply) send(response, reply.text, fault);
  else sendJson(response, reply.status, reply.body);
}

/**
 * Ends a batch. The output of a cancelled batch has the texts done so far, as the documentation
 * says.
 */
export function end(
  fake: Pick<FakeBatches, "embed" | "files">,
  batch: FakeBatch,
  outcome: Outcome,
  shape: "openai" | "gemini",
): void {
  batch.outcome = outcome;
  const share = { completed: 1, cancelled: 0.5, expired: 0.5, failed: 0, running: 0 }[outcome];
  const done = batch.lines.slice(0, Math.floor(batch.lines.length * share));
  if (done.length === 0) return;
  batch.outputFile = newName(shape === "openai" ? "file" : "files/out");
  const line = ({ key, text, wanted }: FakeBatch["lines"][number]) => {
    const vector = fake.embed(text, wanted);
    return shape === "openai"
      ? {
          id: newName("batch_req"),
          custom_id: key,
          error: null,
          response: {
            status_code: 200,
            request_id: newName("req"),
            body: {
              object: "list",
              data: [{ object: "embedding", index: 0, embedding: vector }],
              usage: { total_tokens: 7 },
            },
          },
        }
      : { key, response: { embedding: { values: vector }, usageMetadata: { promptTokenCount: "7" } } };
  };
  // The documentation promises no order of the results.
  const lines = done.toReversed().map((one) => JSON.stringify(line(one)));
  fake.files.set(batch.outputFile, `${lines.join("\n")}\n`);
}

/** Returns a vector that is not of unit length and differs for each text. */
export function vectorOf(text: string): number[] {
  let hash = 7;
  for (const char of text) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) >>> 0;
  return Array.from({ length: DIMENSIONS }, (_, i) => 1 + ((hash >>> (i * 3)) % 97) + i / 10);
}

/** Answers with an error that repeats the request, as careless servers do. */
function refuse(
  response: ServerResponse,
  status: number,
  { headers, body }: Exchange,
  more?: Record<string, string>,
): void {
  const message = `refused ${JSON.stringify(headers)} ${body.toString("utf8").slice(0, 500)}`;
  sendJson(response, status, { error: { code: status, message, status: "REFUSED", type: "invalid" } }, more);
}

function send(response: ServerResponse, text: string, fault: BatchFault | undefined): void {
  response.writeHead(200, { "content-type": "application/jsonl" });
  const lines = text.split("\n").filter((line) => line !== "");
  if (fault === "drip") {
    const timer = setInterval(() => response.write(text[0]), 10);
    response.on("close", () => clearInterval(timer));
  } else if (fault === "cut") response.write(text.slice(0, text.length * 0.6), () => response.socket?.destroy());
  else if (fault === "truncated")
    response.end(
      lines
        .map((line, i) => (i < 5 ? line.slice(0, 60) : line))
        .join("\n")
        .slice(0, -9),
    );
  else if (fault === "few") response.end(lines.slice(7).join("\n"));
  else if (fault === "nan")
    response.end(lines.map((line, i) => (i < 5 ? line.replace(/\d+\.\d+/, "NaN") : line)).join("\n"));
  else if (fault === "dimension")
    response.end(lines.map((line, i) => (i < 5 ? line.replace(/\d+\.\d+,/, "") : line)).join("\n"));
  else response.end(text);
}
