import { AppError } from "../base/errors.ts";
import { createLogger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import { compose } from "./compose.ts";
import { stopSignal } from "./shutdown.ts";

/** `recollect worker`: takes jobs, without an API, until it is told to stop. */
export async function work(config: Config): Promise<number> {
  if (config.databaseUrl === undefined) {
    throw new AppError(
      "config_invalid",
      "A worker of its own needs a Postgres server: set DATABASE_URL. The embedded database belongs to one process, whose worker runs inside it.",
    );
  }
  const stopping = stopSignal();
  const logger = createLogger(config.logLevel);
  const runtime = await compose(config, { logger, worker: true, keyless: false });
  logger.info(runtime.embedding, "working");
  await stopping;
  await runtime.close();
  logger.info("stopped");
  return 0;
}
