import { describeFault } from "../base/describe-fault.ts";
import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { openPostgres } from "../db/pg.ts";
import { openPglite } from "../db/pglite.ts";
import type { Metrics } from "../observe/metrics.ts";

/** Opens the database that the configuration names: a Postgres server, or the embedded one. */
export async function openDatabase(config: Config, logger: Logger, metrics?: Metrics): Promise<Database> {
  if (config.databaseUrl === undefined)
    return openPglite(config.dataDir, undefined, (error) =>
      logger.error({ err: describeFault(error) }, "the embedded database ended, and is opened again"),
    );
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
    onIdleError: (error) => logger.warn({ err: { message: error.message } }, "a database connection was lost"),
  });
}
