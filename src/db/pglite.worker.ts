import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import { brotliDecompress } from "node:zlib";
import { PGlite, type PGliteOptions, type Transaction, types } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { DISK_FULL_SETTING, hasRoom } from "./disk-room.ts";
import { type SentError, toSentError } from "./sent-error.ts";
import { createSessionQueue } from "./session-queue.ts";

/** The data that the thread is started with. */
export interface PgliteWorkerData {
  dataDir: string;
  /** Whether `dataDir` is a folder on disk, whose free room is watched. */
  isOnDisk: boolean;
  /** The megabytes of Postgres's shared buffers. */
  bufferMb: number;
  /**
   * The file of a dump that a new database is copied from. A file that ends in `.br` is compressed
   * with Brotli.
   */
  copyOf: string | undefined;
  engine: NonNullable<PGliteOptions["pgliteWasmModule"]>;
}

export interface Statement {
  text: string;
  values?: readonly unknown[] | undefined;
  rowMode?: "array" | undefined;
}

/**
 * A request with an id is answered with the same id. Requests are begun in the order in which they
 * arrive.
 */
export type PgliteRequest =
  | ({ type: "execute"; id: number; transaction?: number } & Statement)
  | { type: "begin"; transaction: number; setup: string; readOnly: boolean }
  | { type: "end"; id: number; transaction: number; commit: boolean }
  | { type: "listen"; id: number; channel: string }
  | { type: "unlisten"; id: number; listener: number }
  | { type: "close"; id: number };

export type PgliteReply =
  | { id: number; rows: unknown[] }
  | { id: number; error: SentError }
  /** Postgres has ended itself, and the thread ends. */
  | { ended: SentError }
  /** A notification for the listen request whose id is `listener`. */
  | { listener: number; payload: string };

type Client = PGlite | Transaction;

/** A transaction that has begun and not ended. */
interface Running {
  /**
   * Whether the transaction may write: it is not read-only, and the disk had room when it began.
   */
  mayWrite: boolean;
  opened: Promise<Transaction>;
  /** The error of the first statement that failed. */
  fault?: { error: unknown };
  end(commit: boolean): Promise<void>;
}

const PARSERS = {
  // Like node-postgres, keeps a 64-bit integer as a string, so that no id loses digits.
  [types.INT8]: (value: string) => value,
  [types.NUMERIC]: (value: string) => value,
};

/**
 * The status of the exception with which Postgres leaves a failed statement. Any other exception
 * means that Postgres has ended.
 */
const FAILED_STATEMENT = 100;
const READ_ONLY = "25006";
const DISK_FULL = "53100";
const NO_ROOM = "The disk has no room for more of this transaction.";

const transactions = new Map<number, Running>();
const listeners = new Map<number, () => Promise<void>>();
const session = createSessionQueue();
let binaryTypes: Record<number, (value: string) => string> | undefined;
/**
 * Each client's pending look-up of binary types. The client's statements wait for it, so that they
 * keep their order.
 */
const findingTypes = new WeakMap<Client, Promise<void>>();

/** The last line of Postgres's log that says why Postgres ends. */
let lastWords: string | undefined;
/** Whether the session takes writes. It does while its disk has room. */
let takesWrites = true;

const port = parentPort;
if (!port) throw new Error("pglite.worker.ts runs in a thread.");
const { dataDir, isOnDisk } = workerData as PgliteWorkerData;
/** Returns whether the database may write more. A database in memory always may. */
const isWritable = () => !isOnDisk || hasRoom(dataDir);
const opening = open(workerData as PgliteWorkerData);
// Each request is answered with this error.
opening.catch(() => undefined);
port.on("message", (request: PgliteRequest) => void serve(request));

async function open({ dataDir, bufferMb, copyOf, engine }: PgliteWorkerData): Promise<PGlite> {
  const loadDataDir = copyOf === undefined ? undefined : await readDump(copyOf);
  const options = {
    dataDir,
    extensions: { vector },
    parsers: PARSERS,
    startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${bufferMb}MB`],
    pgliteWasmModule: engine,
    onStderr: listenToLog,
  };
  const pglite = await PGlite.create(loadDataDir ? { ...options, loadDataDir } : options).catch((error: unknown) => {
    // PGlite's own error says only that it failed.
    throw lastWords === undefined ? error : Object.assign(new Error(lastWords), { cause: error });
  });
  endWithEngine(pglite);
  return pglite;
}

/**
 * Keeps the lines of Postgres's log that say why it ends.
 *
 * @returns false, so that PGlite prints nothing
 */
function listenToLog(line: string): boolean {
  const [, words] = /\b(?:PANIC|FATAL): +(.*)/.exec(line) ?? /\b(DETAIL: +The data directory .*)/.exec(line) ?? [];
  if (words !== undefined)
    lastWords = lastWords === undefined || !line.includes("DETAIL") ? words : `${lastWords}; ${words}`;
  return false;
}

/**
 * Ends the thread as soon as Postgres has ended itself: its log has no room, it has no memory, or
 * an administrator ended it. PGlite would catch the exception and run the statement again, for
 * ever.
 */
function endWithEngine(pglite: PGlite): void {
  const { mod } = pglite as unknown as { mod: { _PostgresMainLoopOnce(): void } };
  const runOnce = mod._PostgresMainLoopOnce;
  mod._PostgresMainLoopOnce = () => {
    try {
      runOnce();
    } catch (error) {
      if ((error as { status?: unknown } | null)?.status === FAILED_STATEMENT) throw error;
      reply({ ended: toSentError(lastWords ?? error) });
      process.exit();
    }
  };
}

/**
 * Makes Postgres refuse writes while the disk has no room, so that reads go on. Only Postgres knows
 * which statements write.
 */
function admitWrites(pglite: PGlite): void {
  if (isWritable() === takesWrites) return;
  takesWrites = !takesWrites;
  // Not awaited: PGlite runs it before the statement that is sent after it.
  const refusing = takesWrites ? "off" : "on";
  pglite
    .exec(`SET default_transaction_read_only = ${refusing}; SET ${DISK_FULL_SETTING} = ${refusing}`)
    .catch(() => undefined);
}

/**
 * Returns an error that can be sent. A write that was refused because the disk has no room gets the
 * SQLSTATE of a full disk.
 */
function toSent(error: unknown): SentError {
  const sent = toSentError(error);
  return sent.code === READ_ONLY && !takesWrites ? { ...sent, code: DISK_FULL } : sent;
}

/**
 * Reads the dump; undefined if there is no such file. PGlite then creates a database, which takes
 * three seconds.
 */
async function readDump(file: string): Promise<Blob | undefined> {
  const dump = await readFile(file).catch(() => undefined);
  return dump && new Blob([file.endsWith(".br") ? await promisify(brotliDecompress)(dump) : dump]);
}

async function serve(request: PgliteRequest): Promise<void> {
  if (request.type === "begin") return begin(request);
  const { id } = request;
  try {
    reply({ id, rows: await answer(request) });
  } catch (error) {
    reply({ id, error: toSent(error) });
    // An engine that failed to close may still hold files.
    if (request.type === "close") process.exit();
  }
  if (request.type === "close") port?.close();
}

const reply = (message: PgliteReply) => port?.postMessage(message);

async function answer(request: Exclude<PgliteRequest, { type: "begin" }>): Promise<unknown[]> {
  switch (request.type) {
    case "execute":
      return execute(request);
    case "end": {
      const running = transactions.get(request.transaction);
      transactions.delete(request.transaction);
      await running?.end(request.commit);
      return [];
    }
    case "listen":
      await listen(request.id, request.channel);
      return [];
    case "unlisten":
      await listeners.get(request.listener)?.();
      listeners.delete(request.listener);
      return [];
    case "close":
      await (await opening).close();
      return [];
  }
}

// Runs a statement, inside its transaction if it has one.
//
// pg-boss sends "BEGIN; …; COMMIT" as one text. If it fails half-way, the only session stays in an
// aborted transaction, which must end before the next statement runs. So the text runs within
// another transaction, about which Postgres only warns.
async function execute({ transaction, ...statement }: { transaction?: number } & Statement): Promise<unknown[]> {
  if (transaction !== undefined) {
    const running = transactions.get(transaction);
    if (!running) throw new Error("The transaction of this statement has ended.");
    try {
      // One transaction may write more than the disk had left when it began.
      if (running.mayWrite && !isWritable()) throw Object.assign(new Error(NO_ROOM), { code: DISK_FULL });
      return await run(await running.opened, statement);
    } catch (error) {
      running.fault ??= { error };
      throw error;
    }
  }
  const pglite = await opening;
  return session.run(() => {
    admitWrites(pglite);
    if (!/^\s*BEGIN\b/i.test(statement.text)) return run(pglite, statement);
    return pglite.transaction((tx) => run(tx, statement));
  }, false);
}

function begin({ transaction, setup, readOnly }: Extract<PgliteRequest, { type: "begin" }>): void {
  const opened = Promise.withResolvers<Transaction>();
  const ended = Promise.withResolvers<boolean>();
  const rolledBack = new Error("rolled back");
  const running: Running = {
    mayWrite: false,
    opened: opened.promise,
    end: (commit) => {
      ended.resolve(commit);
      return done;
    },
  };
  const work = async (tx: Transaction) => {
    if (setup !== "") await tx.exec(setup);
    opened.resolve(tx);
    if (!(await ended.promise)) throw rolledBack;
    // Postgres answers the COMMIT of a failed transaction with ROLLBACK, and PGlite hides that.
    // After a failed statement, a savepoint may have saved the transaction.
    if (running.fault && (isNoRoom(running.fault.error) || (await hasFailed(tx)))) throw running.fault.error;
  };
  const done = opening
    .then((pglite) =>
      session.run(() => {
        admitWrites(pglite);
        running.mayWrite = takesWrites && !readOnly;
        return pglite.transaction(work);
      }, readOnly),
    )
    .catch((error: unknown) => {
      opened.reject(error);
      if (error !== rolledBack) throw error;
    });
  // The callers that await a statement of the transaction, or its end, get the error.
  for (const promise of [opened.promise, done]) promise.catch(() => undefined);
  transactions.set(transaction, running);
}

/**
 * Returns whether this thread refused the statement. Postgres then knows nothing of the failure.
 */
const isNoRoom = (error: unknown) => error instanceof Error && error.message === NO_ROOM;

/** Returns whether the transaction is aborted, so that Postgres runs no more statements in it. */
async function hasFailed(tx: Transaction): Promise<boolean> {
  return tx.exec("SELECT 1").then(
    () => false,
    () => true,
  );
}

async function listen(listener: number, channel: string): Promise<void> {
  const pglite = await opening;
  listeners.set(listener, await pglite.listen(channel, (payload) => reply({ listener, payload })));
}

/**
 * Runs a statement. PGlite writes a value of an unknown type as text, even a value that is bytes
 * already, such as a vector in binary form (db/vector-codec.ts). The vector types have another OID
 * in each database, and none before pgvector is enabled. Arrays of bytea are sent in binary form as
 * well (db/bytea-codec.ts).
 */
async function run(client: Client, { text, values, rowMode }: Statement): Promise<unknown[]> {
  const mode = rowMode ? { rowMode } : {};
  if (binaryTypes === undefined && !findingTypes.has(client) && values?.some((value) => value instanceof Uint8Array))
    findingTypes.set(client, findBinaryTypes(client));
  if (binaryTypes === undefined) await findingTypes.get(client);
  if (!values?.length) return (await client.exec(text, mode)).flatMap((result) => result.rows);
  const { rows } = await client.query(text, values as unknown[], { ...mode, serializers: binaryTypes ?? {} });
  return rows;
}

async function findBinaryTypes(client: Client): Promise<void> {
  try {
    const sql = "SELECT t::regtype::oid::int AS oid FROM unnest(ARRAY['vector', 'vector[]', 'bytea[]']) AS t";
    const { rows } = await client.query<{ oid: number }>(sql);
    binaryTypes = Object.fromEntries(rows.map(({ oid }) => [oid, (value) => value]));
  } finally {
    findingTypes.delete(client);
  }
}
