import type { IncomingHttpHeaders } from "node:http";
import { type Exchange, end, type FakeBatch, newName, type Reply, type Stage, type Wanted } from "./fake-batches.ts";

/** platform.openai.com, API reference: "Files", "Batch", "Embeddings". */
export const OPENAI_PATHS: Record<Stage, RegExp> = {
  upload: /^POST \/v1\/files$/,
  create: /^POST \/v1\/batches$/,
  list: /^GET \/v1\/batches(\?.*)?$/,
  get: /^GET \/v1\/batches\/[^/]+$/,
  cancel: /^POST \/v1\/batches\/[^/]+\/cancel$/,
  download: /^GET \/v1\/files\/[^/]+\/content$/,
  delete: /^DELETE \/v1\/files\/[^/]+$/,
  embed: /^POST \/v1\/embeddings$/,
};

export async function openAiRoutes(exchange: Exchange): Promise<Reply> {
  const { fake, stage, path, body, headers, fault } = exchange;
  const id = path.split("/")[3] ?? "";
  const batch = fake.batches.find((one) => one.id === id);
  if (stage === "upload") return upload(exchange, headers);
  if (stage === "create") return create(exchange, JSON.parse(body.toString("utf8")));
  if (stage === "list") return ok({ object: "list", data: fake.batches.toReversed().map(present), has_more: false });
  if (stage === "embed") return embed(exchange, JSON.parse(body.toString("utf8")));
  if (stage === "download") return fake.files.has(id) ? { text: fake.files.get(id) ?? "" } : missing();
  if (stage === "delete") return fake.files.delete(id) ? ok({ id, object: "file", deleted: true }) : missing();
  if (!batch) return missing();
  if (stage === "cancel" && batch.outcome === "running") end(fake, batch, "cancelled", "openai");
  return ok({ ...present(batch), ...(fault === "missing" ? { output_file_id: null } : {}) });
}

async function upload({ fake, body }: Exchange, headers: IncomingHttpHeaders): Promise<Reply> {
  const init = { headers: { "content-type": headers["content-type"] ?? "" } };
  const form = await new Response(new Uint8Array(body), init).formData();
  const file = form.get("file");
  const fields = [...form.keys()].sort().join();
  const known = fields === "expires_after[anchor],expires_after[seconds],file,purpose";
  if (!known || form.get("purpose") !== "batch" || !(file instanceof File)) return invalid(`fields ${fields}`);
  if (!file.name.endsWith(".jsonl")) return invalid("not a .jsonl file");
  const id = newName("file");
  fake.files.set(id, await file.text());
  return ok({ id, object: "file", bytes: file.size, filename: file.name, purpose: "batch", status: "processed" });
}

function create({ fake }: Exchange, body: Record<string, unknown>): Reply {
  const input = String(body.input_file_id);
  const text = fake.files.get(input);
  if (text === undefined || body.endpoint !== "/v1/embeddings" || body.completion_window !== "24h")
    return invalid("batch");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const right = lines.every(
    (line) => line.method === "POST" && line.url === "/v1/embeddings" && typeof line.body.input === "string",
  );
  if (!right || new Set(lines.map((line) => line.custom_id)).size !== lines.length) return invalid("lines");
  const batch: FakeBatch = {
    id: newName("batch"),
    token: (body.metadata as { recollect_batch?: string } | undefined)?.recollect_batch ?? "",
    inputFile: input,
    lines: lines.map((line) => ({ key: line.custom_id, text: line.body.input, wanted: line.body })),
    createdAt: Date.now(),
    outcome: "running",
    outputFile: undefined,
  };
  fake.batches.push(batch);
  return ok(present(batch));
}

function present({ id, token, inputFile, createdAt, outcome, outputFile, lines }: FakeBatch) {
  return {
    id,
    object: "batch",
    endpoint: "/v1/embeddings",
    input_file_id: inputFile,
    completion_window: "24h",
    status: outcome === "running" ? "in_progress" : outcome,
    output_file_id: outputFile ?? null,
    error_file_id: null,
    errors: null,
    created_at: Math.floor(createdAt / 1000),
    request_counts: { total: lines.length, completed: 0, failed: 0 },
    metadata: { recollect_batch: token },
  };
}

function embed({ fake }: Exchange, body: { input: string[] } & Wanted): Reply {
  const data = body.input.map((text, index) => ({ object: "embedding", index, embedding: fake.embed(text, body) }));
  return ok({ object: "list", data, usage: { prompt_tokens: 7 * data.length, total_tokens: 7 * data.length } });
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

function missing(): Reply {
  return { status: 404, body: { error: { message: "no such thing", type: "invalid_request_error" } } };
}

function invalid(message: string): Reply {
  return { status: 400, body: { error: { message, type: "invalid_request_error" } } };
}
