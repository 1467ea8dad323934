import { AppError } from "../base/errors.ts";
import { createLogger } from "../base/logger.ts";
import { RecollectError } from "../client/recollect-error.ts";
import { readConfig } from "../config/config.ts";
import { openPglite } from "../db/pglite.ts";
import { loadUsualModel } from "../service/embedding/warm-embedder.ts";
import { checkOptions, variablesOf } from "./check-options.ts";
import { compose, type Runtime } from "./compose.ts";
import type { RecollectOptions } from "./recollect-options.ts";
import { warnOfSlowEngine } from "./slow-engine.ts";

const OWN_VARIABLES = "Variables are read from the option env only, and not from those of the process.";

export interface Starting {
  /** Whether requests of this process need no key. */
  keyless: boolean;
  /** A key with the scope `admin`. */
  adminKey?: string;
}

/**
 * Starts the service in this process, without a port.
 *
 * @throws RecollectError as `createRecollect` does
 */
export async function startHere(options: RecollectOptions, starting: Starting): Promise<Runtime> {
  try {
    return await start(options, starting);
  } catch (error) {
    // Callers of `createRecollect` expect errors of this class.
    if (!(error instanceof AppError)) throw error;
    const { code, message, details } = error;
    const hint = code === "config_invalid" && !options.env ? ` ${OWN_VARIABLES}` : "";
    throw new RecollectError(code, `${message}${hint}`, { details: details && { ...details }, cause: error });
  }
}

let hasWarnedOfEngine = false;

async function start(options: RecollectOptions, { keyless, adminKey }: Starting): Promise<Runtime> {
  checkOptions(options);
  const { dataDir, env = {} } = options;
  const config = readConfig({
    RECOLLECT_LOG_LEVEL: "warn",
    ...env,
    ...variablesOf(options),
    ...(adminKey === undefined ? {} : { RECOLLECT_ADMIN_KEY: adminKey }),
  });
  const inMemory = dataDir === undefined && config.databaseUrl === undefined && env.RECOLLECT_DATA_DIR === undefined;
  const logger = createLogger(config.logLevel);
  const runtime = await compose(config, {
    logger,
    worker: true,
    keyless,
    ...(inMemory ? { database: await openPglite() } : {}),
  });
  // Each test file of a process starts an instance.
  if (!hasWarnedOfEngine) warnOfSlowEngine(runtime.embedding, logger);
  hasWarnedOfEngine = true;
  if (options.waitForModel)
    await loadUsualModel(runtime.deps).catch(async (error: unknown) => {
      await runtime.close();
      throw error;
    });
  return runtime;
}
