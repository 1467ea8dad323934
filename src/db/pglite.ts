import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { PGlite, type Transaction, types } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import type { Database, ExecuteOptions, SqlExecutor } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";
import { translateDatabaseError } from "./pg-error.ts";

const TEXT_PARSERS = {
  // Like node-postgres: a 64-bit integer stays a string, so that no id loses digits.
  [types.INT8]: (value: string) => value,
  [types.NUMERIC]: (value: string) => value,
};

/** What `scripts/pack-database.ts` has made: an empty database, which a new one is a copy of. The same file for sources and built code. */
export const EMPTY_DATABASE = new URL("../../dist/db/empty-database.tar.br", import.meta.url);

/**
 * A Database embedded in this process: PGlite with pgvector, in `folder`, or in memory when no folder is given.
 *
 * @param beginWith the dump of another, which a new one is a copy of; "nothing": not even what was packed
 * @throws AppError `data_folder_in_use` when another process has the folder.
 */
export async function openPglite(folder?: string, beginWith?: Blob | "nothing"): Promise<Database> {
  const lock = folder === undefined ? undefined : lockFolder(folder);
  try {
    const dataDir = folder === undefined ? "memory://" : postgresIn(folder);
    const isNew = folder === undefined || !existsSync(join(dataDir, "PG_VERSION"));
    const dump = beginWith ?? (isNew ? await emptyDatabase() : undefined);
    const begin = dump && dump !== "nothing" ? { loadDataDir: dump } : {};
    const pglite = await PGlite.create({ dataDir, extensions: { vector }, parsers: TEXT_PARSERS, ...begin });
    return fromPglite(pglite, () => lock?.release());
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** The embedded database of a folder that nobody has open, as one file that `beginWith` takes. */
export async function dumpPglite(folder: string): Promise<Blob> {
  const pglite = await PGlite.create({ dataDir: postgresIn(folder), extensions: { vector } });
  const dump = await pglite.dumpDataDir("none");
  await pglite.close();
  return dump;
}

function postgresIn(folder: string): string {
  return join(folder, "postgres");
}

/** Undefined where nothing was packed; then PGlite makes a database, which takes it three seconds. */
async function emptyDatabase(): Promise<Blob | undefined> {
  const packed = await readFile(EMPTY_DATABASE).catch(() => undefined);
  return packed && new Blob([await promisify(brotliDecompress)(packed)]);
}

function fromPglite(pglite: PGlite, onClosed: () => void): Database {
  const run = runner();
  return {
    kind: "pglite",
    // pg-boss sends "BEGIN; …; COMMIT" as one text. If it fails half-way the only session stays in an aborted transaction,
    // which must end before the statement behind it has its turn: within one more, which Postgres only warns about.
    executeSql: (text, values, options) =>
      /^\s*BEGIN\b/i.test(text)
        ? pglite.transaction((tx) => run(tx, text, values, options))
        : run(pglite, text, values, options),
    transaction: (fn, options) =>
      pglite.transaction(async (tx) => {
        const setup = [
          ...(options?.readOnly ? ["SET TRANSACTION READ ONLY"] : []),
          ...(options?.setup ?? []),
          ...(options?.role === undefined ? [] : [`SET LOCAL ROLE ${options.role}`]),
        ];
        if (setup.length > 0) await tx.exec(setup.join("; "));
        const executeSql: SqlExecutor["executeSql"] = (text, values, execute) =>
          run(tx, text, values, { ...execute, readOnly: options?.readOnly });
        return fn({
          executeSql,
          endRole: async (last) => void (await executeSql(`${last}; SET LOCAL ROLE NONE`)),
        });
      }),
    listen: async (channel, onNotification, onReconnect) => {
      const unsubscribe = await pglite.listen(channel, onNotification);
      onReconnect();
      return { close: () => unsubscribe() };
    },
    close: async () => {
      await pglite.close();
      onClosed();
    },
  };
}

/** So long PGlite may hold the event loop before what waits for it has a turn. */
const HELD_MS = 10;

/**
 * Runs statements. PGlite computes on this thread and goes from one statement to the next without a turn of the event loop, so a
 * transaction would hold it as a whole. PGlite writes a value of a type that it does not know as text, also one that is bytes
 * already: vectors in binary (db/vector-codec.ts). Their types have another number in each database and none before pgvector is
 * enabled. Arrays of bytes come in binary as well (db/bytea-codec.ts).
 */
function runner() {
  let asTheyAre: Record<number, (value: string) => string> | undefined;
  const send = async <R>(
    client: PGlite | Transaction,
    text: string,
    values?: readonly unknown[],
    options?: ExecuteOptions,
  ) => {
    const rowMode = options?.rowMode ? { rowMode: options.rowMode } : {};
    if (!values?.length) {
      const results = await client.exec(text, rowMode);
      return { rows: results.flatMap((result) => result.rows) as R[] };
    }
    if (asTheyAre === undefined && values.some((value) => value instanceof Uint8Array)) {
      const sql = "SELECT t::regtype::oid::int AS oid FROM unnest(ARRAY['vector', 'vector[]', 'bytea[]']) AS t";
      const { rows } = await client.query<{ oid: number }>(sql);
      asTheyAre = Object.fromEntries(rows.map(({ oid }) => [oid, (value) => value]));
    }
    const serializers = asTheyAre ?? {};
    const result = await client.query<R>(text, values as unknown[], { ...rowMode, serializers });
    return { rows: result.rows };
  };
  let heldMs = 0;
  return async function run<R>(
    client: PGlite | Transaction,
    text: string,
    values?: readonly unknown[],
    options?: ExecuteOptions & { readOnly?: true | undefined },
  ): Promise<{ rows: R[] }> {
    const begun = performance.now();
    // An error is told at once: those of the statements behind it, which say only that the transaction has failed, must not be first.
    const answer = await send<R>(client, text, values, options).catch((error: unknown) => {
      throw translateDatabaseError(error, options?.readOnly);
    });
    heldMs += performance.now() - begun;
    // After a statement and not before one: statements that are not awaited must go in their order.
    if (heldMs > HELD_MS) {
      heldMs = 0;
      await setImmediate();
    }
    return answer;
  };
}
