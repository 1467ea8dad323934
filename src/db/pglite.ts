import { existsSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Database, ExecuteOptions, SqlExecutor } from "./database.ts";
import { databaseBytes, hasDatabase, postgresIn, unfinishedMarkIn } from "./database-folder.ts";
import { folderTrouble, lockFolder } from "./folder-lock.ts";
import { translateDatabaseError } from "./pg-error.ts";
import { type KeptThread, keepThread } from "./pglite-kept-thread.ts";
import { type PgliteThread, startPgliteThread } from "./pglite-thread.ts";

/**
 * The empty database that `scripts/pack-database.ts` has made. A new database is a copy of it.
 * Sources and built code use the same file.
 */
export const EMPTY_DATABASE = new URL("../../dist/db/empty-database.tar.br", import.meta.url);

/**
 * The least and the most megabytes of Postgres's shared buffers. In WebAssembly all of them are
 * resident memory from the start, and pages that they do not hold are read from the file: with
 * Postgres's usual 128 MB, an open database took 259 MB instead of 138 with 16.
 */
const BUFFER_MB = { min: 16, max: 128 };

/**
 * Opens a Database embedded in this process: PGlite with pgvector, in `folder`, or in memory when
 * no folder is given. While the folder's disk has no room, writes are refused with `database_full`
 * and reads go on. If the database ends all the same, it is opened again.
 *
 * @param copyOf the file of a dump that a new database is copied from; default: the packed empty
 *   database; null: no file
 * @param onEnded is called with the reason why the database ended, before it is opened again
 * @throws AppError `data_folder_in_use` when another process has the folder; the errors of
 *   `folderTrouble`
 */
export async function openPglite(
  folder?: string,
  copyOf?: string | null,
  onEnded: (error: Error) => void = () => undefined,
): Promise<Database> {
  if (folder === undefined)
    return fromThread(
      keepThread(await startIn("memory://", copyOf, { isOnDisk: false, bufferMb: BUFFER_MB.min })),
      () => undefined,
    );
  const lock = lockFolder(folder);
  const open = () => openFolder(folder, copyOf);
  try {
    return fromThread(keepThread(await open(), { folder, open, onEnded }), () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openFolder(folder: string, copyOf: string | null | undefined): Promise<PgliteThread> {
  const dataDir = postgresIn(folder);
  const mark = unfinishedMarkIn(folder);
  const removeUnfinished = () => {
    if (!existsSync(mark)) return;
    rmSync(dataDir, { recursive: true, force: true });
    rmSync(mark);
  };
  try {
    // A process that was killed while it made the database has left an incomplete one.
    removeUnfinished();
    const isNew = !hasDatabase(folder);
    if (isNew) writeFileSync(mark, "");
    const bufferMb = buffersFor(databaseBytes(folder));
    const thread = await startIn(dataDir, isNew ? copyOf : null, { isOnDisk: true, bufferMb });
    if (isNew) rmSync(mark);
    return thread;
  } catch (error) {
    const trouble = folderTrouble(error, folder);
    try {
      removeUnfinished();
    } catch {
      // The next start tries again. The reason why this start failed is more important.
    }
    throw trouble;
  }
}

/**
 * Returns the megabytes of shared buffers for a database of a size: twice the size, because it grows
 * while it is open, and at least twice the least, because a new one grows fastest.
 */
export function buffersFor(bytes: number): number {
  return Math.min(BUFFER_MB.max, Math.max(2 * BUFFER_MB.min, Math.ceil((2 * bytes) / 2 ** 20)));
}

/** Starts a thread and waits until its database answers. */
async function startIn(
  dataDir: string,
  copyOf: string | null | undefined,
  options: { isOnDisk: boolean; bufferMb: number },
): Promise<PgliteThread> {
  const dump = copyOf === undefined ? fileURLToPath(EMPTY_DATABASE) : (copyOf ?? undefined);
  const thread = await startPgliteThread({ dataDir, copyOf: dump, ...options });
  try {
    await thread.execute({ text: "SELECT 1" });
    return thread;
  } catch (error) {
    await thread.close();
    throw error;
  }
}

function fromThread(kept: KeptThread, onClosed: () => void): Database {
  const runIn = (thread?: PgliteThread, transaction?: number, readOnly?: true): SqlExecutor["executeSql"] =>
    async function execute<R>(text: string, values?: readonly unknown[], { rowMode }: ExecuteOptions = {}) {
      try {
        const on = thread ?? kept.now() ?? (await kept.reopened());
        return { rows: (await on.execute({ text, values, rowMode }, transaction)) as R[] };
      } catch (error) {
        throw translateDatabaseError(error, readOnly);
      }
    };
  return {
    kind: "pglite",
    executeSql: runIn(),
    transaction: async (fn, options) => {
      const setup = [
        ...(options?.readOnly ? ["SET TRANSACTION READ ONLY"] : []),
        ...(options?.setup ?? []),
        ...(options?.role === undefined ? [] : [`SET LOCAL ROLE ${options.role}`]),
      ];
      const thread = kept.now() ?? (await kept.reopened());
      const transaction = thread.begin(setup.join("; "), options?.readOnly === true);
      const executeSql = runIn(thread, transaction, options?.readOnly);
      try {
        const result = await fn({
          executeSql,
          endRole: async (last) => void (await executeSql(`${last}; SET LOCAL ROLE NONE`)),
        });
        const ended = thread.end(transaction, true).catch((error: unknown) => {
          throw translateDatabaseError(error);
        });
        // The end of a read-only transaction is not awaited, as on Postgres.
        if (options?.readOnly) ended.catch(() => undefined);
        else await ended;
        return result;
      } catch (error) {
        await thread.end(transaction, false).catch(() => undefined);
        throw error;
      }
    },
    listen: (channel, onNotification, onReconnect) => kept.listen(channel, onNotification, onReconnect),
    close: async () => {
      await kept.close();
      onClosed();
    },
  };
}
