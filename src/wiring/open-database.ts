import { systemClock } from "../base/clock.ts";
import { describeFault } from "../base/describe-fault.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { databaseTrouble } from "../db/database-trouble.ts";
import { openPostgres } from "../db/pg.ts";
import { openPglite } from "../db/pglite.ts";
import { prepareDatabase } from "../db/prepare-database.ts";
import type { Metrics } from "../observe/metrics.ts";
import { advertisedUrl } from "./running-server.ts";

/** Opens the database that the configuration names: a Postgres server, or the embedded one. */
export async function openDatabase(config: Config, logger: Logger, metrics?: Metrics): Promise<Database> {
  if (config.databaseUrl === undefined) {
    const reopened = (error: unknown) =>
      logger.error({ err: describeFault(error) }, "the embedded database ended, and is opened again");
    return openPglite(config.dataDir, undefined, reopened).catch((error: unknown) => {
      throw namingServer(error, config.dataDir);
    });
  }
  let isLogged = false;
  const onStatementLost = () => {
    metrics?.lostStatements.inc();
    if (!isLogged)
      logger.warn("a prepared statement was lost: behind a pooler of transactions set DATABASE_DIRECT_URL");
    isLogged = true;
  };
  return openPostgres({
    connectionString: config.databaseUrl,
    directConnectionString: config.databaseDirectUrl,
    maxConnections: config.dbPool,
    onStatementLost,
    onNoAnswer: () => logger.warn("the database did not answer in time, and a connection to it was closed"),
    onIdleError: (error) => {
      const { code } = error as { code?: unknown };
      const lost = { type: error.name, ...(typeof code === "string" ? { code } : {}), message: error.message };
      logger.warn({ err: lost }, "a database connection was lost");
    },
  });
}

/** Adds the URL of the server that has the folder open to the error that another process has it open. */
function namingServer(error: unknown, dataDir: string): unknown {
  if (!(error instanceof AppError) || error.code !== "data_folder_in_use") return error;
  const url = advertisedUrl(dataDir);
  if (url === undefined) return error;
  return new AppError(
    error.code,
    `The data folder ${dataDir} is open in the server at ${url}: use that one (--url ${url}), stop it, or choose another folder with RECOLLECT_DATA_DIR.`,
    { cause: error },
  );
}

/**
 * Prepares the database at a start, as `prepareDatabase` does. The error of a server that cannot be used names
 * its host and the remedy: at a start the address, the login or the database's name are often wrong.
 */
export async function prepareAtStart(
  db: Database,
  { databaseUrl }: Pick<Config, "databaseUrl">,
  onWarning: (message: string) => void,
): Promise<void> {
  try {
    await prepareDatabase(db, systemClock(), onWarning);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "database_unavailable" || databaseUrl === undefined) throw error;
    const { what, remedy } = databaseTrouble(error, databaseUrl);
    throw new AppError(error.code, `${what} ${remedy}`, { cause: error });
  }
}
