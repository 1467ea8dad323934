import { createLogger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import { createMetrics } from "../observe/metrics.ts";
import { startQueue } from "../queue/queue.ts";
import { restoreRoles } from "../service/agent/recreate-roles.ts";
import { openDatabase, prepareAtStart } from "../wiring/open-database.ts";
import { commandLogger } from "./command-logger.ts";
import { loadFeatures } from "./load-features.ts";
import { VERSION } from "./version.ts";

/**
 * Runs `recollect migrate`: installs or upgrades the control schema and the queue's schema, and
 * ends. Every process does so at its start, but a deployment that migrates first learns of a
 * failure before it replaces any process. Agents' schemas are migrated later, in the background.
 *
 * @param options.roles whether the agents' roles are created again, as is necessary after a restore
 */
export async function migrate(config: Config, options: { roles: boolean }): Promise<number> {
  const logger = process.stderr.isTTY ? commandLogger(config, config.logLevel) : createLogger(config.logLevel);
  const { kinds } = await loadFeatures(config);
  const db = await openDatabase(config, logger);
  try {
    await prepareAtStart(db, config, (message) => logger.warn(message));
    const queue = await startQueue(db, { logger, metrics: createMetrics(), kinds, supervise: false });
    await queue.stop();
    if (options.roles) logger.info({ agents: await restoreRoles(db) }, "the agents have their roles");
    logger.info({ version: VERSION }, "the database is ready for this version");
    return 0;
  } finally {
    await db.close();
  }
}
