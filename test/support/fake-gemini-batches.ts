import { type Exchange, end, type FakeBatch, newName, type Reply, type Stage } from "./fake-batches.ts";

/** ai.google.dev, API reference: "Batch API", "Files", "Embeddings". */
export const GEMINI_PATHS: Record<Stage, RegExp> = {
  upload: /^POST \/upload\/v1beta\/files$/,
  create: /^POST \/v1beta\/models\/a-model:asyncBatchEmbedContent$/,
  list: /^GET \/v1beta\/batches(\?.*)?$/,
  get: /^GET \/v1beta\/batches\/[^/:]+$/,
  cancel: /^POST \/v1beta\/batches\/[^/:]+:cancel$/,
  download: /^GET \/download\/v1beta\/files\/[^/:]+:download\?alt=media$/,
  delete: /^DELETE \/v1beta\/files\/[^/]+$/,
  embed: /^POST \/v1beta\/models\/a-model:batchEmbedContents$/,
};

interface Content {
  content: { parts: { text: string }[] };
}

export async function geminiRoutes(exchange: Exchange): Promise<Reply> {
  const { fake, stage, path, body, fault } = exchange;
  const batch = fake.batches.find((one) => path.includes(`/${one.id}`));
  const file = /files\/[^/:?]+/.exec(path)?.[0] ?? "";
  if (stage === "upload") return upload(exchange);
  if (stage === "create") return create(exchange, JSON.parse(body.toString("utf8")).batch);
  if (stage === "list") return ok({ operations: fake.batches.toReversed().map(present) });
  if (stage === "embed") return embed(exchange, JSON.parse(body.toString("utf8")));
  if (stage === "download") return fake.files.has(file) ? { text: fake.files.get(file) ?? "" } : missing();
  if (stage === "delete") return fake.files.delete(file) ? ok({}) : missing();
  if (!batch) return missing();
  if (stage === "cancel") {
    end(fake, batch, "cancelled", "gemini");
    return ok({});
  }
  const operation = present(batch);
  return ok(fault === "missing" ? { ...operation, response: {} } : operation);
}

/** Reads `multipart/related`: metadata, then the file. */
function upload({ fake, headers, body }: Exchange): Reply {
  const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1];
  const [, metadata = "", file = ""] = body.toString("utf8").split(`--${boundary}`);
  const content = (part: string) => part.slice(part.indexOf("\r\n\r\n") + 4, part.lastIndexOf("\r\n"));
  if (headers["x-goog-upload-protocol"] !== "multipart" || !JSON.parse(content(metadata)).file) return invalid();
  const name = newName("files/in");
  fake.files.set(name, content(file));
  return ok({ file: { name, mimeType: "application/jsonl", state: "ACTIVE" } });
}

function create({ fake }: Exchange, wanted: { displayName?: string; inputConfig?: { fileName?: string } }): Reply {
  const input = wanted.inputConfig?.fileName ?? "";
  const text = fake.files.get(input);
  if (text === undefined || !wanted.displayName) return invalid();
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { key: string; request: Content & { model?: string } });
  if (lines.some(({ request }) => request.model !== "models/a-model")) return invalid();
  const batch: FakeBatch = {
    id: newName("batches/b"),
    token: wanted.displayName.replace("recollect-", ""),
    inputFile: input,
    lines: lines.map(({ key, request }) => ({ key, text: textOf(request) })),
    createdAt: Date.now(),
    outcome: "running",
    outputFile: undefined,
  };
  fake.batches.push(batch);
  return ok(present(batch));
}

function present({ id, token, outcome, outputFile, createdAt, inputFile }: FakeBatch) {
  const state = {
    running: "RUNNING",
    completed: "SUCCEEDED",
    failed: "FAILED",
    expired: "EXPIRED",
    cancelled: "CANCELLED",
  };
  const done = outcome !== "running";
  return {
    name: id,
    metadata: {
      "@type": "type.googleapis.com/google.ai.generativelanguage.v1main.EmbedContentBatch",
      name: id,
      displayName: `recollect-${token}`,
      state: `BATCH_STATE_${state[outcome]}`,
      createTime: new Date(createdAt).toISOString(),
      inputConfig: { fileName: inputFile },
    },
    ...(done ? { done, response: outputFile === undefined ? {} : { responsesFile: outputFile } } : {}),
  };
}

function embed({ fake }: Exchange, { requests }: { requests: Content[] }): Reply {
  const texts = requests.map(textOf);
  return ok({
    embeddings: texts.map((text) => ({ values: fake.embed(text) })),
    usageMetadata: { promptTokenCount: 7 * texts.length },
  });
}

function textOf({ content }: Content): string {
  return content.parts[0]?.text ?? "";
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

function missing(): Reply {
  return { status: 404, body: { error: { code: 404, message: "no such thing", status: "NOT_FOUND" } } };
}

function invalid(): Reply {
  return { status: 400, body: { error: { code: 400, message: "wrong", status: "INVALID_ARGUMENT" } } };
}
