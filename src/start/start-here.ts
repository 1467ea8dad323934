import { createLogger } from "../base/logger.ts";
import { readConfig } from "../config/config.ts";
import { openPglite } from "../db/pglite.ts";
import { loadUsualModel } from "../service/embedding/warm-embedder.ts";
import { compose, type Runtime } from "./compose.ts";
import type { RecollectOptions } from "./recollect-options.ts";
import { warnOfSlowEngine } from "./slow-engine.ts";

/**
 * Starts the service in this process, without a port.
 *
 * @param keyless whether requests of this process need no key
 * @throws AppError as `createRecollect` does
 */
export async function startHere(options: RecollectOptions, { keyless }: { keyless: boolean }): Promise<Runtime> {
  const { dataDir, databaseUrl, provider, log, env = {} } = options;
  const config = readConfig({
    RECOLLECT_LOG_LEVEL: "warn",
    ...env,
    ...(dataDir === undefined ? {} : { RECOLLECT_DATA_DIR: dataDir }),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(provider === undefined ? {} : { RECOLLECT_PROVIDER: provider }),
    ...(log === undefined ? {} : { RECOLLECT_LOG_LEVEL: log }),
  });
  const inMemory = dataDir === undefined && config.databaseUrl === undefined && env.RECOLLECT_DATA_DIR === undefined;
  const logger = createLogger(config.logLevel);
  const runtime = await compose(config, {
    logger,
    worker: true,
    keyless,
    ...(inMemory ? { database: await openPglite() } : {}),
  });
  warnOfSlowEngine(runtime.embedding, logger);
  if (options.waitForModel)
    await loadUsualModel(runtime.deps).catch(async (error: unknown) => {
      await runtime.close();
      throw error;
    });
  return runtime;
}
