import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import { brotliDecompress } from "node:zlib";
import { PGlite, type PGliteOptions, type Transaction, types } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { DISK_FULL_SETTING, hasRoom } from "./disk-room.ts";
import { type SentError, toSentError } from "./sent-error.ts";

/** What the thread is started with. */
export interface PgliteWorkerData {
  dataDir: string;
  /** Whether `dataDir` is a folder of the disk, whose room is watched. */
  isOnDisk: boolean;
  /** The file of a dump that a new database is to be a copy of; with `.br` at its end it is packed. */
  copyOf: string | undefined;
  engine: NonNullable<PGliteOptions["pgliteWasmModule"]>;
}

export interface Statement {
  text: string;
  values?: readonly unknown[] | undefined;
  rowMode?: "array" | undefined;
}

/** What has an id is answered with it. All of it is begun in its order. */
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
  /** Of the channel that the request with the id of `listener` listens to. */
  | { listener: number; payload: string };

type Client = PGlite | Transaction;

/** A transaction between its begin and its end. */
interface Running {
  /** Whether it began while the disk had room, and may write. */
  mayWrite: boolean;
  opened: Promise<Transaction>;
  /** The error of the first statement that failed. */
  fault?: { error: unknown };
  end(commit: boolean): Promise<void>;
}

const PARSERS = {
  // Like node-postgres: a 64-bit integer stays a string, so that no id loses digits.
  [types.INT8]: (value: string) => value,
  [types.NUMERIC]: (value: string) => value,
};

/** The exception by which Postgres leaves a statement that failed. Every other exception has ended it. */
const FAILED_STATEMENT = 100;
const READ_ONLY = "25006";
const DISK_FULL = "53100";
const NO_ROOM = "The disk has no room for more of this transaction.";

const transactions = new Map<number, Running>();
const listeners = new Map<number, () => Promise<void>>();
let binaryTypes: Record<number, (value: string) => string> | undefined;
/** What a client's statements wait for, so that they keep their order while the first of them looks the types up. */
const findingTypes = new WeakMap<Client, Promise<void>>();

/** The last line of Postgres's log that says why it ends. */
let lastWords: string | undefined;
/** Whether the session takes writes, which it does while its disk has room. */
let takesWrites = true;

const port = parentPort;
if (!port) throw new Error("pglite.worker.ts runs in a thread.");
const { dataDir, isOnDisk } = workerData as PgliteWorkerData;
/** Whether the database may write more. One in memory always may. */
const isWritable = () => !isOnDisk || hasRoom(dataDir);
const opening = open(workerData as PgliteWorkerData);
// The error is the answer to each request.
opening.catch(() => undefined);
port.on("message", (request: PgliteRequest) => void serve(request));

async function open({ dataDir, copyOf, engine }: PgliteWorkerData): Promise<PGlite> {
  const loadDataDir = copyOf === undefined ? undefined : await readDump(copyOf);
  const options = {
    dataDir,
    extensions: { vector },
    parsers: PARSERS,
    pgliteWasmModule: engine,
    onStderr: listenToLog,
  };
  const pglite = await PGlite.create(loadDataDir ? { ...options, loadDataDir } : options).catch((error: unknown) => {
    // PGlite itself says only that it failed.
    throw lastWords === undefined ? error : Object.assign(new Error(lastWords), { cause: error });
  });
  endWithEngine(pglite);
  return pglite;
}

/** @returns false: nothing is printed */
function listenToLog(line: string): boolean {
  const [, words] = /\b(?:PANIC|FATAL): +(.*)/.exec(line) ?? /\b(DETAIL: +The data directory .*)/.exec(line) ?? [];
  if (words !== undefined)
    lastWords = lastWords === undefined || !line.includes("DETAIL") ? words : `${lastWords}; ${words}`;
  return false;
}

/**
 * Ends the thread as soon as Postgres has ended itself: out of room for its log, out of memory, or by an administrator's command. PGlite
 * catches the exception and runs the statement again, for ever.
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

/** Lets Postgres refuse writes while the disk has no room, so that reads go on: it alone knows which statements write. */
function admitWrites(pglite: PGlite): void {
  if (isWritable() === takesWrites) return;
  takesWrites = !takesWrites;
  // Not awaited: it has its turn before the statement that is sent behind it.
  const refusing = takesWrites ? "off" : "on";
  pglite
    .exec(`SET default_transaction_read_only = ${refusing}; SET ${DISK_FULL_SETTING} = ${refusing}`)
    .catch(() => undefined);
}

/** Makes an error sendable. A write that was refused for want of room gets the SQLSTATE of a full disk. */
function toSent(error: unknown): SentError {
  const sent = toSentError(error);
  return sent.code === READ_ONLY && !takesWrites ? { ...sent, code: DISK_FULL } : sent;
}

/** Undefined where there is none; then PGlite makes a database, which takes it three seconds. */
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

// pg-boss sends "BEGIN; …; COMMIT" as one text. If it fails half-way the only session stays in an aborted transaction, which must end
// before the statement behind it has its turn: within one more, which Postgres only warns about.
async function execute({ transaction, ...statement }: { transaction?: number } & Statement): Promise<unknown[]> {
  if (transaction !== undefined) {
    const running = transactions.get(transaction);
    if (!running) throw new Error("The transaction of this statement has ended.");
    try {
      // One transaction may write more than was left when it began.
      if (running.mayWrite && !isWritable()) throw Object.assign(new Error(NO_ROOM), { code: DISK_FULL });
      return await run(await running.opened, statement);
    } catch (error) {
      running.fault ??= { error };
      throw error;
    }
  }
  const pglite = await opening;
  admitWrites(pglite);
  if (!/^\s*BEGIN\b/i.test(statement.text)) return run(pglite, statement);
  return pglite.transaction((tx) => run(tx, statement));
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
    // Postgres answers the COMMIT of a failed transaction with a ROLLBACK, which PGlite hides. A savepoint may have saved it.
    if (running.fault && (isNoRoom(running.fault.error) || (await hasFailed(tx)))) throw running.fault.error;
  };
  const done = opening
    .then((pglite) => {
      admitWrites(pglite);
      running.mayWrite = takesWrites && !readOnly;
      return pglite.transaction(work);
    })
    .catch((error: unknown) => {
      opened.reject(error);
      if (error !== rolledBack) throw error;
    });
  // Told to whoever waits for a statement of the transaction, or for its end.
  for (const promise of [opened.promise, done]) promise.catch(() => undefined);
  transactions.set(transaction, running);
}

/** Whether this thread refused a statement, of which Postgres knows nothing. */
const isNoRoom = (error: unknown) => error instanceof Error && error.message === NO_ROOM;

/** Whether Postgres runs no statement in this transaction any more. */
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
 * PGlite writes a value of a type that it does not know as text, also one that is bytes already: vectors in binary
 * (db/vector-codec.ts). Their types have another number in each database and none before pgvector is enabled. Arrays of bytes come
 * in binary as well (db/bytea-codec.ts).
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
