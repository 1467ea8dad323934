import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { createYielder } from "../../base/cooperative-yield.ts";
import prepareFile, { prepareWindows, readTurn } from "./prepare-file.worker.ts";
import type {
  FactsRequest,
  PreparedChunk,
  PreparedFile,
  PreparedWindow,
  PrepareRequest,
  ReadTurn,
  TurnRequest,
  WindowsRequest,
} from "./prepared-file.ts";

/**
 * Chunks, hashes and analyses files, sessions, turns and facts off the event loop. A megabyte of Markdown takes longer than
 * a request may block.
 */
export interface FilePreparer {
  prepare(request: PrepareRequest): Promise<PreparedFile>;
  prepareWindows(request: WindowsRequest): Promise<PreparedWindow[]>;
  /** A chunk for each. */
  prepareFacts(request: FactsRequest): Promise<PreparedChunk[]>;
  readTurn(request: TurnRequest): Promise<ReadTurn>;
  close(): Promise<void>;
}

/**
 * Texts up to this size are prepared on the event loop. It takes half a millisecond, two for Japanese; handing them to a
 * thread takes as long.
 */
const MAX_INLINE_BYTES = 8192;

/** Starts worker threads as they are needed, at most `threads`. */
export function startFilePreparer(threads: number): FilePreparer {
  // The worker is .ts when run from source and .js when run from dist; so is this file.
  const worker = fileURLToPath(new URL(`./prepare-file.worker${extname(import.meta.url)}`, import.meta.url));
  const pool = new Piscina({ filename: worker, minThreads: 0, maxThreads: threads, idleTimeout: 30_000 });
  const yieldToOthers = createYielder();
  // One after the other. If all requests of a batch yielded at once, they would all run in one go afterwards.
  let before = Promise.resolve();
  const here = <T>(prepare: () => T): Promise<T> => {
    const prepared = before.then(yieldToOthers).then(prepare);
    before = prepared.then(
      () => undefined,
      () => undefined,
    );
    return prepared;
  };
  return {
    prepare: (request) =>
      isSmall([request.content]) ? here(() => prepareFile(request)) : (pool.run(request) as Promise<PreparedFile>),
    prepareWindows: (request) =>
      isSmall(request.messages.map((message) => message.text))
        ? here(() => prepareWindows(request))
        : (pool.run(request, { name: "prepareWindows" }) as Promise<PreparedWindow[]>),
    prepareFacts: (request) => pool.run(request, { name: "prepareFacts" }) as Promise<PreparedChunk[]>,
    readTurn: (request) =>
      isSmall(request.messages.map((message) => message.text))
        ? here(() => readTurn(request))
        : (pool.run(request, { name: "readTurn" }) as Promise<ReadTurn>),
    close: () => pool.destroy(),
  };
}

function isSmall(texts: readonly string[]): boolean {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= MAX_INLINE_BYTES;
}
