import { geminiModelPath } from "../base/gemini-model.ts";
import type { BatchApi, BatchLine, BatchState, RemoteBatch } from "./embed-batches.ts";
import { callGemini, type GeminiAddress, geminiJson as json, postGemini } from "./gemini-api.ts";
import { toJsonLines } from "./json-lines.ts";
import { failedRequest } from "./provider-errors.ts";

/** The fields of an operation that are read. Every field may be missing or have another type. */
interface Operation {
  name?: unknown;
  done?: unknown;
  response?: Output;
  metadata?: {
    state?: unknown;
    displayName?: unknown;
    createTime?: unknown;
    output?: Output;
    inputConfig?: { fileName?: unknown };
  };
}

interface Output {
  responsesFile?: unknown;
}

const ENDED = ["BATCH_STATE_SUCCEEDED", "BATCH_STATE_FAILED", "BATCH_STATE_CANCELLED", "BATCH_STATE_EXPIRED"];
const PAGE = 100;
const MAX_PAGES = 10;
const CLOCK_SKEW_MS = 600_000;

/**
 * Gemini's Batch API for embeddings (ai.google.dev/api/batch-api: `models.asyncBatchEmbedContent`,
 * `EmbedContentBatch`, `batches.get`, `.list`, `.cancel`; ai.google.dev/gemini-api/docs/batch-api;
 * wire names as in googleapis/js-genai, src/converters/_batches_converters.ts). Requests are lines
 * `{ key, request }` of a file uploaded through `/upload/{version}/files` (multipart, as in
 * Google's SDK). Results are lines `{ key, response | error }` of the operation's `responsesFile`,
 * read from `/download/{version}/{file}:download?alt=media`. The call itself could carry the
 * requests, but then every answer to `batches.get` would hold all results: hundreds of megabytes
 * for a few thousand texts. Google deletes files after 48 hours, and a batch expires then.
 *
 * @param requestOf returns the request for one text
 */
export function createGeminiBatches(address: GeminiAddress, requestOf: (text: string) => object): BatchApi {
  const { baseUrl, version } = address;
  const model = geminiModelPath(address.model);
  const at = (path: string) => `${baseUrl}/${version}/${path}`;
  const call = (url: string, init: RequestInit) => callGemini(address, url, init);
  const post = (url: string, body: object, signal: AbortSignal) => postGemini(address, url, body, signal);
  return {
    upload: async (token, texts, signal) => {
      const lines = await toJsonLines(texts, ({ id, text }) => ({ key: id, request: { model, ...requestOf(text) } }));
      const upload = multipart({ file: { displayName: nameOf(token) } }, lines);
      const answer = await call(`${baseUrl}/upload/${version}/files`, { method: "POST", ...upload, signal });
      const { file } = (await json(answer)) as { file?: { name?: unknown } };
      if (typeof file?.name !== "string") throw failedRequest({ unreadable: true });
      return file.name;
    },
    create: async (token, inputFile, signal) => {
      const batch = { model, displayName: nameOf(token), inputConfig: { fileName: inputFile } };
      return toBatch(await json(await post(at(`${model}:asyncBatchEmbedContent`), { batch }, signal))).id;
    },
    find: (token, since, signal) =>
      find(async (query) => json(await call(at(`batches?${query}`), { signal })), token, since),
    state: async (id, signal) => toState(await json(await call(at(id), { signal }))),
    cancel: async (id, signal) => void (await post(at(`${id}:cancel`), {}, signal)),
    download: async (file, signal) =>
      (await call(`${baseUrl}/download/${version}/${file}:download?alt=media`, { signal })).body,
    readLine,
    deleteFile: async (file, signal) => void (await call(at(file), { method: "DELETE", signal })),
  };
}

/** Searches the newest batches of the API key for the token. */
async function find(
  list: (query: string) => Promise<unknown>,
  token: string,
  since: Date,
): Promise<RemoteBatch | undefined> {
  let pageToken = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({ pageSize: String(PAGE), ...(pageToken ? { pageToken } : {}) });
    const answer = (await list(query.toString())) as { operations?: unknown; nextPageToken?: unknown };
    const operations = (Array.isArray(answer.operations) ? answer.operations : []) as (Operation | null)[];
    const found = operations.find((operation) => operation?.metadata?.displayName === nameOf(token));
    if (found) return toBatch(found);
    const created = operations.map((operation) => Date.parse(String(operation?.metadata?.createTime)));
    const older = created.some((time) => time < since.getTime() - CLOCK_SKEW_MS);
    if (older || typeof answer.nextPageToken !== "string" || answer.nextPageToken === "") return undefined;
    pageToken = answer.nextPageToken;
  }
  return undefined;
}

function nameOf(token: string): string {
  return `recollect-${token}`;
}

function toBatch(value: unknown): RemoteBatch {
  const { name, metadata } = value as Operation;
  if (typeof name !== "string") throw failedRequest({ unreadable: true });
  const input = metadata?.inputConfig?.fileName;
  return { id: name, inputFile: typeof input === "string" ? input : undefined };
}

function toState(value: unknown): BatchState {
  const { done, response, metadata } = value as Operation;
  const state = metadata?.state;
  if (done !== true && (typeof state !== "string" || !ENDED.includes(state))) return { ended: false };
  const file = response?.responsesFile ?? metadata?.output?.responsesFile;
  const files = typeof file === "string" ? [file] : [];
  return { ended: true, completed: state === "BATCH_STATE_SUCCEEDED", files };
}

function readLine(line: unknown): BatchLine {
  const { key, response } = (line ?? {}) as {
    key?: unknown;
    response?: {
      embedding?: { values?: unknown };
      usageMetadata?: { promptTokenCount?: unknown };
      tokenCount?: unknown;
    };
  };
  const tokens = response?.usageMetadata?.promptTokenCount ?? response?.tokenCount;
  // 64-bit numbers are strings in Google's JSON.
  return { id: key, vector: response?.embedding?.values, tokens: tokens === undefined ? undefined : Number(tokens) };
}

function multipart(metadata: object, lines: readonly Buffer<ArrayBuffer>[]) {
  // Each text is JSON on one line, so no line of the texts can equal the boundary.
  const boundary = "recollect-batch";
  const head = `--${boundary}\r\nContent-Type: application/json; charset=utf-8\r\n\r\n${JSON.stringify(metadata)}\r\n`;
  const type = `--${boundary}\r\nContent-Type: application/jsonl\r\n\r\n`;
  return {
    headers: { "X-Goog-Upload-Protocol": "multipart", "Content-Type": `multipart/related; boundary=${boundary}` },
    body: new Blob([head, type, ...lines, `\r\n--${boundary}--`]),
  };
}
