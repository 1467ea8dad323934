import type OpenAI from "openai";
import type { BatchApi, BatchLine } from "./embed-batches.ts";
import { toJsonLines } from "./json-lines.ts";
import { failedRequest, translateOpenAiError } from "./provider-errors.ts";

/**
 * The lifetime of uploaded texts and of results. After a crash of this process OpenAI deletes them
 * itself; a batch takes a day at most.
 */
const EXPIRY = { anchor: "created_at", seconds: 3 * 86_400 } as const;
const LONGEST_MS = 3_600_000;
const TOKEN_KEY = "recollect_batch";
/**
 * The most batches that are searched for one of this service, newest first. The account may have
 * batches of other programs.
 */
const MAX_LISTED = 1000;
const CLOCK_SKEW_MS = 600_000;

/**
 * OpenAI's Batch API (platform.openai.com, "Batch API", and the types of its SDK). The input is a
 * JSONL file with one request a line, each with a `custom_id`, uploaded with purpose `batch`. `POST
 * /batches` starts it for `/v1/embeddings` with a completion window of 24 h; at most 50,000 inputs
 * and 200 MB. The output file has a line for each answered request, in any order, and the error
 * file has a line for each other request. Both files may be absent. A batch is found again by its
 * metadata.
 *
 * @param bodyOf returns the body of the embeddings request for one text
 */
export function createOpenAiBatches(client: OpenAI, bodyOf: (text: string) => object): BatchApi {
  return {
    upload: async (token, texts, signal) => {
      const lines = await toJsonLines(texts, ({ id, text }) => ({
        custom_id: id,
        method: "POST",
        url: "/v1/embeddings",
        body: bodyOf(text),
      }));
      const file = new File(lines, `recollect-${token}.jsonl`, { type: "application/jsonl" });
      // The signal ends the upload. The client's own timeout is meant for small requests.
      const options = { signal, timeout: LONGEST_MS };
      return nameOf(
        (await attempt(() => client.files.create({ file, purpose: "batch", expires_after: EXPIRY }, options)))?.id,
      );
    },
    create: async (token, inputFile, signal) => {
      const body = {
        input_file_id: inputFile,
        ...({ endpoint: "/v1/embeddings", completion_window: "24h" } as const),
        metadata: { [TOKEN_KEY]: token },
        output_expires_after: EXPIRY,
      };
      return nameOf((await attempt(() => client.batches.create(body, { signal })))?.id);
    },
    find: (token, since, signal) =>
      attempt(async () => {
        let listed = 0;
        for await (const batch of client.batches.list({ limit: 100 }, { signal })) {
          if (batch?.metadata?.[TOKEN_KEY] === token) return { id: nameOf(batch.id), inputFile: batch.input_file_id };
          const older = batch?.created_at * 1000 < since.getTime() - CLOCK_SKEW_MS;
          if (older || ++listed === MAX_LISTED) return undefined;
        }
        return undefined;
      }),
    state: async (id, signal) => {
      const batch = await attempt(() => client.batches.retrieve(id, { signal }));
      // A body that is not JSON arrives as text.
      if (typeof batch?.status !== "string") throw failedRequest({ unreadable: true });
      const { status, output_file_id: output, error_file_id: errors } = batch;
      if (!["completed", "failed", "expired", "cancelled"].includes(status)) return { ended: false };
      const files = [output, errors].filter((file) => typeof file === "string");
      return { ended: true, completed: status === "completed", files };
    },
    cancel: async (id, signal) => void (await attempt(() => client.batches.cancel(id, { signal }))),
    download: (file, signal) =>
      attempt(async () => (await client.files.content(file, { signal, timeout: LONGEST_MS })).body),
    readLine,
    deleteFile: async (file, signal) => void (await attempt(() => client.files.delete(file, { signal }))),
  };
}

async function attempt<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw translateOpenAiError(error);
  }
}

function nameOf(id: unknown): string {
  if (typeof id !== "string") throw failedRequest({ unreadable: true });
  return id;
}

function readLine(line: unknown): BatchLine {
  const { custom_id: id, response } = (line ?? {}) as {
    custom_id?: unknown;
    response?: Record<string, unknown> | null;
  };
  const body = (response?.status_code === 200 ? response.body : undefined) as
    | { data?: unknown; usage?: { total_tokens?: unknown } }
    | undefined;
  const data: unknown[] = Array.isArray(body?.data) ? body.data : [];
  const [only] = data as ({ embedding?: unknown } | null)[];
  return { id, vector: data.length === 1 ? only?.embedding : undefined, tokens: body?.usage?.total_tokens };
}
