import { AppError } from "../../base/errors.ts";
import { createFairSlots } from "../../base/fair-slots.ts";
import { workerFile } from "../../base/worker-file.ts";
import { startThreadPool, TASK_DEADLINE_MS } from "../../service/core/thread-pool.ts";
import { DOCUMENT_TYPES, type DocumentType, isTextual } from "../../service/files/document-type.ts";
import type { SentDocument } from "../../service/files/file-hooks.ts";
import type { Converted, ConvertRequest } from "./convert-document.worker.ts";
import type { DocumentFault, DocumentText } from "./formats/document-text.ts";

/** Reads documents as Markdown, in threads that tenants use in turn. */
export interface DocumentConverter {
  /**
   * Reads one document.
   *
   * @throws AppError as the hook `readDocument`
   */
  convert(tenantId: string, document: SentDocument): Promise<DocumentText>;
  close(): Promise<void>;
}

interface ConverterOptions {
  /** How long one document may take in all, for tests. */
  deadlineMs?: number;
  /** How long a document may take without progress, such as another page. */
  stallMs?: number;
  /** A module to run instead of `convert-document.worker.ts`, for tests. */
  worker?: string;
}

/** A tenant reads one document at a time. The second thread is for another tenant. */
const THREADS = 2;
/**
 * A malicious document that only takes time is refused within five seconds. The slow start of a
 * thread does not count as the document's time.
 */
const STALL_MS = 3500;
/**
 * The most bytes that a thread may hold outside its heap, where buffers are: a document, and the
 * unpacked form of one of its streams. The limit of a thread's heap does not count these bytes.
 */
const MAX_BUFFER_BYTES = 256_000_000;
const LOOK_MS = 100;

/**
 * Starts worker threads as they are needed. A document that exceeds a limit ends its thread, and a
 * new thread replaces it.
 */
export function startDocumentConverter({
  deadlineMs = TASK_DEADLINE_MS,
  stallMs = STALL_MS,
  worker,
}: ConverterOptions = {}): DocumentConverter {
  const pool = startThreadPool(THREADS, worker ?? workerFile("convert-document.worker", import.meta.url));
  const slots = createFairSlots({ total: THREADS, each: 1 });
  const run = async ({ type, bytes, charset }: SentDocument): Promise<Converted> => {
    const progress = new Int32Array(new SharedArrayBuffer(8));
    const request: ConvertRequest = { type, bytes, charset, progress };
    const ended = new AbortController();
    const guard = watch(progress, { deadlineMs, stallMs, buffersOf: (thread) => buffersOf(pool.threads, thread) }, () =>
      ended.abort(),
    );
    try {
      return (await pool.run(request, { signal: ended.signal, transferList: [bytes.buffer] })) as Converted;
    } catch (error) {
      if (ended.signal.aborted || isOutOfMemory(error)) return { fault: "too large" };
      throw error;
    } finally {
      guard.stop();
    }
  };
  return {
    convert: async (tenantId, document) => {
      const converted = await slots.run(tenantId, () => run(document));
      if ("fault" in converted) throw refusal(converted.fault, document.type);
      return converted;
    },
    close: () => pool.destroy(),
  };
}

interface Limits {
  deadlineMs: number;
  stallMs: number;
  /** Returns the bytes that a thread holds outside its heap. */
  buffersOf(thread: number): Promise<number>;
}

/**
 * Checks every 100 ms how far a thread has come and how much memory it holds, and calls `end` when
 * it exceeds a limit.
 */
function watch(progress: Int32Array, { deadlineMs, stallMs, buffersOf }: Limits, end: () => void) {
  const startedAt = performance.now();
  let [step, steppedAt] = [0, startedAt];
  let stopped = false;
  const look = async () => {
    const now = performance.now();
    const current = Atomics.load(progress, 1);
    const thread = Atomics.load(progress, 0);
    if (current !== step || thread === 0) [step, steppedAt] = [current, now];
    const isOver = now - startedAt > deadlineMs || now - steppedAt > stallMs;
    if (isOver || (thread > 0 && (await buffersOf(thread)) > MAX_BUFFER_BYTES)) return end();
    if (!stopped) timer = setTimeout(look, LOOK_MS);
  };
  let timer = setTimeout(look, LOOK_MS);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Returns the bytes that a thread holds outside its heap. A busy thread answers too; a thread that
 * has ended holds nothing.
 */
async function buffersOf(threads: ReturnType<typeof startThreadPool>["threads"], id: number): Promise<number> {
  const thread = threads.find(({ threadId }) => threadId === id);
  const heap = await thread?.getHeapStatistics().catch(() => undefined);
  return heap?.external_memory ?? 0;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
}

const TOO_MUCH = "takes more time or memory to read than one document may";
const FAULTS: Record<DocumentFault, [code: "document_unreadable" | "payload_too_large", sentence: string]> = {
  encrypted: ["document_unreadable", "is protected by a password; remove the password and send it again."],
  damaged: ["document_unreadable", "is damaged, or is no file of this kind; save it anew and send it again."],
  "no text": [
    "document_unreadable",
    "has no text, as when it is scanned; let a program for text recognition (OCR) add it.",
  ],
  "too many pages": ["payload_too_large", "has more than 2000 pages; send it in parts."],
  "too large": ["payload_too_large", `${TOO_MUCH}, or has more text; send it in parts.`],
  "too deep": ["payload_too_large", `is nested too deep to be read; send its text.`],
};

function refusal(fault: DocumentFault | "package missing", type: DocumentType): AppError {
  const { name, packages } = DOCUMENT_TYPES[type];
  if (fault === "package missing")
    return new AppError(
      "converter_missing",
      `${name} documents need a package that is not installed: run \`npm install ${packages}\` beside Recollect, on the machine of the server, and restart it.`,
      { details: { packages: packages.split(" ") } },
    );
  if (fault === "no text" && isTextual(type))
    return new AppError("document_unreadable", `The ${name} document has no text.`, { details: { fault } });
  const [code, sentence] = FAULTS[fault];
  return new AppError(code, `The ${name} document ${sentence}`, { details: { fault } });
}
