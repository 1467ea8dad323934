import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import { brotliDecompress } from "node:zlib";
import { PGlite, type PGliteOptions, type Transaction, types } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";

/** What the thread is started with. */
export interface PgliteWorkerData {
  dataDir: string;
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
  | { type: "begin"; transaction: number; setup: string }
  | { type: "end"; id: number; transaction: number; commit: boolean }
  | { type: "listen"; id: number; channel: string }
  | { type: "unlisten"; id: number; listener: number }
  | { type: "close"; id: number };

/** An error's own fields, such as Postgres's SQLSTATE in `code`; a clone of the error would have lost them. */
export type SentError = { message: string } & Record<string, unknown>;

export type PgliteReply =
  | { id: number; rows: unknown[] }
  | { id: number; error: SentError }
  /** Of the channel that the request with the id of `listener` listens to. */
  | { listener: number; payload: string };

type Client = PGlite | Transaction;

/** A transaction between its begin and its end. */
interface Running {
  opened: Promise<Transaction>;
  end(commit: boolean): Promise<void>;
}

const PARSERS = {
  // Like node-postgres: a 64-bit integer stays a string, so that no id loses digits.
  [types.INT8]: (value: string) => value,
  [types.NUMERIC]: (value: string) => value,
};

/** What PGlite adds to an error: the user's own text. */
const UNSENT = new Set(["query", "params"]);

const transactions = new Map<number, Running>();
const listeners = new Map<number, () => Promise<void>>();
let binaryTypes: Record<number, (value: string) => string> | undefined;
/** What a client's statements wait for, so that they keep their order while the first of them looks the types up. */
const findingTypes = new WeakMap<Client, Promise<void>>();

const port = parentPort;
if (!port) throw new Error("pglite.worker.ts runs in a thread.");
const opening = open(workerData as PgliteWorkerData);
// The error is the answer to each request.
opening.catch(() => undefined);
port.on("message", (request: PgliteRequest) => void serve(request));

async function open({ dataDir, copyOf, engine }: PgliteWorkerData): Promise<PGlite> {
  const loadDataDir = copyOf === undefined ? undefined : await readDump(copyOf);
  const options = { dataDir, extensions: { vector }, parsers: PARSERS, pgliteWasmModule: engine };
  return PGlite.create(loadDataDir ? { ...options, loadDataDir } : options);
}

/** Undefined where there is none; then PGlite makes a database, which takes it three seconds. */
async function readDump(file: string): Promise<Blob | undefined> {
  const dump = await readFile(file).catch(() => undefined);
  return dump && new Blob([file.endsWith(".br") ? await promisify(brotliDecompress)(dump) : dump]);
}

async function serve(request: PgliteRequest): Promise<void> {
  if (request.type === "begin") return begin(request.transaction, request.setup);
  const { id } = request;
  try {
    reply({ id, rows: await answer(request) });
  } catch (error) {
    reply({ id, error: toSent(error) });
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
    return run(await running.opened, statement);
  }
  const pglite = await opening;
  if (!/^\s*BEGIN\b/i.test(statement.text)) return run(pglite, statement);
  return pglite.transaction((tx) => run(tx, statement));
}

function begin(transaction: number, setup: string): void {
  const opened = Promise.withResolvers<Transaction>();
  const ended = Promise.withResolvers<boolean>();
  const rolledBack = new Error("rolled back");
  const work = async (tx: Transaction) => {
    if (setup !== "") await tx.exec(setup);
    opened.resolve(tx);
    if (!(await ended.promise)) throw rolledBack;
  };
  const done = opening
    .then((pglite) => pglite.transaction(work))
    .catch((error: unknown) => {
      opened.reject(error);
      if (error !== rolledBack) throw error;
    });
  // Told to whoever waits for a statement of the transaction, or for its end.
  for (const promise of [opened.promise, done]) promise.catch(() => undefined);
  transactions.set(transaction, {
    opened: opened.promise,
    end: (commit) => {
      ended.resolve(commit);
      return done;
    },
  });
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

function toSent(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error) };
  const own = Object.entries(error).filter(([name, value]) => !UNSENT.has(name) && typeof value !== "object");
  return { ...Object.fromEntries(own), message: error.message };
}
