import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { AppError } from "../base/errors.ts";
import { workerFile } from "../base/worker-file.ts";
import { translateDatabaseError } from "./pg-error.ts";
import type { PgliteReply, PgliteRequest, PgliteWorkerData, Statement } from "./pglite.worker.ts";
import { fromSentError } from "./sent-error.ts";

/**
 * PGlite in a thread of its own. PGlite computes on the thread that calls it, and would block the
 * event loop that answers requests.
 */
export interface PgliteThread {
  /** Returns the reason why the thread takes no more statements; undefined while it does. */
  lost(): Error | undefined;
  /**
   * Runs a statement, or several without values. Statements that are not awaited keep their order.
   */
  execute(statement: Statement, transaction?: number): Promise<unknown[]>;
  /**
   * Begins a transaction and runs statements without values in it. If they fail, the next request
   * for this transaction rejects with their error.
   */
  begin(setup: string, readOnly: boolean): number;
  end(transaction: number, commit: boolean): Promise<void>;
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>;
  /** Resolves when the thread has ended and its files are closed. */
  close(): Promise<void>;
}

type Asked = Extract<PgliteRequest, { id: number }>;
type Unnumbered<R> = R extends Asked ? Omit<R, "id"> : never;

interface Pending {
  resolve(rows: unknown[]): void;
  reject(error: Error): void;
}

type Engine = PgliteWorkerData["engine"];

/** Node has `WebAssembly`, but its types come only with the types for browsers. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<Engine> } };

let compiling: Promise<Engine> | undefined;

/**
 * Compiles PGlite's build of Postgres once per process. When each thread compiled its own, opening
 * a database took 1.1 seconds of processor time instead of 0.7, and each thread began again with
 * unoptimised code.
 */
function compiledEngine(): Promise<Engine> {
  compiling ??= compileEngine().catch((error: unknown) => {
    // The next database may succeed: a process runs out of files or of memory only for a while.
    compiling = undefined;
    throw error;
  });
  return compiling;
}

async function compileEngine(): Promise<Engine> {
  // When several threads have compiled code, V8's collector of compiled code ends the process now
  // and then, with a failed check of its own (nodejs/node#64500; here in one run of the suite). The
  // collector would free only a few megabytes: without it, opening and using databases took the
  // same memory.
  setFlagsFromString("--no-wasm-code-gc");
  const folder = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"));
  return WebAssembly.compile(await readFile(join(folder, "pglite.wasm")));
}

/**
 * Starts the thread, which opens the database. The thread keeps the process alive only while a
 * request to it is pending.
 */
export async function startPgliteThread(data: Omit<PgliteWorkerData, "engine">): Promise<PgliteThread> {
  const workerData: PgliteWorkerData = { ...data, engine: await compiledEngine() };
  const worker = new Worker(workerFile("pglite.worker", import.meta.url), { workerData });
  const pending = new Map<number, Pending>();
  const listeners = new Map<number, (payload: string) => void>();
  let lost: Error | undefined;
  let next = 1;
  worker.unref();

  const settle = (id: number): Pending | undefined => {
    const asked = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) worker.unref();
    return asked;
  };
  const lose = (cause?: unknown) => {
    lost ??= lostError(data.isOnDisk, cause);
    for (const id of [...pending.keys()]) settle(id)?.reject(lost);
  };
  const exited = new Promise<void>((done) => worker.once("exit", () => done()));
  worker.on("error", lose);
  worker.on("exit", () => lose());
  worker.on("message", (reply: PgliteReply) => {
    if ("ended" in reply) lose(fromSentError(reply.ended));
    else if ("listener" in reply) listeners.get(reply.listener)?.(reply.payload);
    else if ("rows" in reply) settle(reply.id)?.resolve(reply.rows);
    else settle(reply.id)?.reject(fromSentError(reply.error));
  });

  const send = (request: PgliteRequest) => worker.postMessage(request);
  const ask = (request: Unnumbered<PgliteRequest>, id = next++): Promise<unknown[]> => {
    if (lost) return Promise.reject(lost);
    return new Promise((resolve, reject) => {
      // Throws for a value that cannot be sent, which rejects the promise.
      send({ ...request, id } as Asked);
      pending.set(id, { resolve, reject });
      worker.ref();
    });
  };
  return {
    lost: () => lost,
    execute: (statement, transaction) =>
      ask({ type: "execute", ...statement, ...(transaction === undefined ? {} : { transaction }) }),
    begin: (setup, readOnly) => {
      const transaction = next++;
      send({ type: "begin", transaction, setup, readOnly });
      return transaction;
    },
    end: async (transaction, commit) => void (await ask({ type: "end", transaction, commit })),
    listen: async (channel, onNotification) => {
      const listener = next++;
      listeners.set(listener, onNotification);
      await ask({ type: "listen", channel }, listener);
      return async () => {
        await ask({ type: "unlisten", listener });
        listeners.delete(listener);
      };
    },
    close: async () => {
      // Acknowledged writes are already in the write-ahead log, so the folder is intact even if the
      // last checkpoint fails because the disk is full.
      if (!lost) await ask({ type: "close" }).catch(() => undefined);
      worker.ref();
      await exited;
    },
  };
}

/** Returns the error of a database that has ended. A database in memory has lost its content. */
function lostError(isOnDisk: boolean, cause: unknown): Error {
  const known = translateDatabaseError(cause);
  if (known instanceof AppError) return known;
  const remedy = isOnDisk
    ? "It is being opened again; try again in a moment."
    : "It was in memory, so its data is lost; start the process again.";
  return new AppError("database_unavailable", `The embedded database has ended. ${remedy}`, { cause });
}
