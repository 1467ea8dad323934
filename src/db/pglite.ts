import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database, ExecuteOptions, SqlExecutor } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";
import { translateDatabaseError } from "./pg-error.ts";
import { type PgliteThread, startPgliteThread } from "./pglite-thread.ts";

/** What `scripts/pack-database.ts` has made: an empty database, which a new one is a copy of. The same file for sources and built code. */
export const EMPTY_DATABASE = new URL("../../dist/db/empty-database.tar.br", import.meta.url);

/**
 * A Database embedded in this process: PGlite with pgvector, in `folder`, or in memory when no folder is given.
 *
 * @param copyOf the file of a dump, which a new one is a copy of; default: what was packed, null: nothing
 * @throws AppError `data_folder_in_use` when another process has the folder.
 */
export async function openPglite(folder?: string, copyOf?: string | null): Promise<Database> {
  const lock = folder === undefined ? undefined : lockFolder(folder);
  const dataDir = folder === undefined ? "memory://" : postgresIn(folder);
  const isNew = folder === undefined || !existsSync(join(dataDir, "PG_VERSION"));
  let thread: PgliteThread | undefined;
  try {
    thread = await startPgliteThread({
      dataDir,
      copyOf: copyOf === undefined && isNew ? fileURLToPath(EMPTY_DATABASE) : (copyOf ?? undefined),
    });
    await thread.execute({ text: "SELECT 1" });
    return fromThread(thread, () => lock?.release());
  } catch (error) {
    await thread?.close().catch(() => undefined);
    lock?.release();
    throw error;
  }
}

/** Where Postgres' files are in the folder of an embedded database. */
export function postgresIn(folder: string): string {
  return join(folder, "postgres");
}

function fromThread(thread: PgliteThread, onClosed: () => void): Database {
  const runIn = (transaction?: number, readOnly?: true): SqlExecutor["executeSql"] =>
    async function execute<R>(text: string, values?: readonly unknown[], { rowMode }: ExecuteOptions = {}) {
      try {
        return { rows: (await thread.execute({ text, values, rowMode }, transaction)) as R[] };
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
      const transaction = thread.begin(setup.join("; "));
      const executeSql = runIn(transaction, options?.readOnly);
      try {
        const result = await fn({
          executeSql,
          endRole: async (last) => void (await executeSql(`${last}; SET LOCAL ROLE NONE`)),
        });
        const ended = thread.end(transaction, true).catch((error: unknown) => {
          throw translateDatabaseError(error);
        });
        // Nobody waits for the end of what only reads, as on Postgres.
        if (options?.readOnly) ended.catch(() => undefined);
        else await ended;
        return result;
      } catch (error) {
        await thread.end(transaction, false).catch(() => undefined);
        throw error;
      }
    },
    listen: async (channel, onNotification, onReconnect) => {
      const close = await thread.listen(channel, onNotification);
      onReconnect();
      return { close };
    },
    close: async () => {
      await thread.close();
      onClosed();
    },
  };
}
