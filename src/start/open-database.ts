import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { openPostgres } from "../db/pg.ts";
import { openPglite } from "../db/pglite.ts";

/** The database that the configuration names: a server, or the embedded one. */
export async function openDatabase(config: Config, logger: Logger): Promise<Database> {
  if (config.databaseUrl === undefined) return openPglite(config.dataDir);
  return openPostgres({
    connectionString: config.databaseUrl,
    directConnectionString: config.databaseDirectUrl,
    maxConnections: config.dbPool,
    onIdleError: (error) => logger.warn({ err: { message: error.message } }, "a database connection was lost"),
  });
}
