import { createYielder } from "../../base/cooperative-yield.ts";
import { createCounts } from "../../base/counts.ts";
import { AppError } from "../../base/errors.ts";
import { createFairSlots } from "../../base/fair-slots.ts";
import type { Logger } from "../../base/logger.ts";
import { TASK_DEADLINE_MS } from "../core/thread-pool.ts";
import prepareFile, { prepareWindows } from "./prepare-file.worker.ts";
import { startPrepareThreads, ThreadLost } from "./prepare-threads.ts";
import type {
  DiffRequest,
  FactsRequest,
  PreparedChunk,
  PreparedFile,
  PreparedWindow,
  PrepareRequest,
  WindowsRequest,
} from "./prepared-file.ts";
import { createWarmUps, type TextWork } from "./text-work.ts";
import type { UnifiedDiff } from "./unified-diff.ts";

/**
 * Chunks, hashes and analyses files, sessions and facts off the event loop, and does the work that
 * features add. A megabyte of Markdown takes longer than a request may block the loop. Tenants take
 * turns, and each request has a deadline.
 *
 * @throws AppError `payload_too_large` when a text takes longer than the deadline, or more memory
 *   than a thread has
 */
export interface FilePreparer {
  /**
   * Prepares a file. A file that misses the deadline is cut again as plain text, so that it is
   * stored and can be found.
   */
  prepare(tenantId: string, request: PrepareRequest): Promise<PreparedFile>;
  prepareWindows(tenantId: string, request: WindowsRequest): Promise<PreparedWindow[]>;
  /** Prepares one chunk for each fact. */
  prepareFacts(tenantId: string, request: FactsRequest): Promise<PreparedChunk[]>;
  /**
   * Does the work of a feature. Work that misses the deadline is not refused: it has a result for
   * that case.
   */
  run<Request extends object, Result>(
    tenantId: string,
    work: TextWork<Request, Result>,
    request: Request,
  ): Promise<Result>;
  /**
   * Compares two texts. Even short texts can have so little in common that the comparison takes
   * long.
   */
  compare(tenantId: string, request: DiffRequest): Promise<UnifiedDiff>;
  close(): Promise<void>;
}

interface PreparerOptions {
  /** The number of threads that one tenant may use at a time. */
  threads: number;
  /** The time that a thread may spend on one text, for tests. */
  deadlineMs?: number;
  /** A module that tests use instead of `prepare-file.worker.ts`. */
  worker?: string;
  logger: Pick<Logger, "warn">;
}

/**
 * The largest text that is prepared on the event loop. That takes half a millisecond, or two for
 * Japanese; passing the text to a thread takes as long.
 */
const MAX_INLINE_BYTES = 8192;
/**
 * The most bytes of one tenant's texts that wait for the event loop. Further texts go to threads,
 * so that a tenant that sends hundreds of small files does not take a slice of every turn for long.
 * Starting a thread takes a second of processor time, which 32 notes at once should not cost.
 */
const MAX_INLINE_WAITING_BYTES = 32 * MAX_INLINE_BYTES;

/** Returns a preparer that starts worker threads on demand. */
export function startFilePreparer({
  threads,
  deadlineMs = TASK_DEADLINE_MS,
  worker,
  logger,
}: PreparerOptions): FilePreparer {
  const pool = startPrepareThreads({ threads, deadlineMs, worker });
  const here = createInlineWork();
  const warmUps = createWarmUps();
  /** Returns the result of `fallback` when the thread had to be ended. */
  const orElse = async <T>(work: Promise<T>, fallback: () => Promise<T> | T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      logger.warn({ deadlineMs }, "A text was not prepared within its deadline; its thread was ended.");
      return fallback();
    }
  };
  const refuseWith = (message: string) => (): never => {
    throw new AppError("payload_too_large", message, { details: { limitMs: deadlineMs } });
  };
  const refuse = refuseWith("This text takes too long to index; send it in smaller parts.");
  const refuseToCompare = refuseWith("These texts take too long to compare; read both.");
  return {
    prepare: (tenantId, request) => {
      const cut = (part: PrepareRequest) => pool.run<PreparedFile>(tenantId, "default", part);
      const inThread = () => orElse(cut(request), () => orElse(cut({ ...request, format: "plain" }), refuse));
      // The Markdown parser uses an extension for tables. A text that may contain a table is cut in
      // a thread, whatever its size.
      if (request.content.includes("|")) return inThread();
      return here(tenantId, [request.content], () => prepareFile(request)) ?? inThread();
    },
    prepareWindows: (tenantId, request) =>
      here(tenantId, textsOf(request), () => prepareWindows(request)) ??
      orElse(pool.run<PreparedWindow[]>(tenantId, "prepareWindows", request), refuse),
    prepareFacts: (tenantId, request) => orElse(pool.run<PreparedChunk[]>(tenantId, "prepareFacts", request), refuse),
    run: <Request extends object, Result>(tenantId: string, work: TextWork<Request, Result>, request: Request) =>
      (warmUps.isWarm(work) ? here(tenantId, work.textsOf(request), () => work.run(request)) : undefined) ??
      orElse(pool.run<Result>(tenantId, "default", request, work.worker), () => work.instead(request)),
    compare: (tenantId, request) => orElse(pool.run<UnifiedDiff>(tenantId, "compareTexts", request), refuseToCompare),
    close: async () => {
      await warmUps.stop();
      await pool.close();
    },
  };
}

/**
 * Makes a function that does small work on the event loop, one text after the other, with tenants
 * in turn. If all texts of a batch yielded at once, they would afterwards all run without a pause.
 *
 * @returns undefined for work that belongs in a thread
 */
function createInlineWork() {
  const yieldToOthers = createYielder();
  const slots = createFairSlots({ total: 1, each: 1 });
  const waiting = createCounts();
  return <T>(tenantId: string, texts: readonly string[], prepare: () => T): Promise<T> | undefined => {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > MAX_INLINE_BYTES || waiting.of(tenantId) + bytes > MAX_INLINE_WAITING_BYTES) return undefined;
    waiting.add(tenantId, bytes);
    const work = slots.run(tenantId, async () => {
      await yieldToOthers();
      return prepare();
    });
    return work.finally(() => waiting.add(tenantId, -bytes));
  };
}

function textsOf({ messages }: { messages: readonly { text: string }[] }): string[] {
  return messages.map((message) => message.text);
}
