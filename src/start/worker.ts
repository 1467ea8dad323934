import { AppError } from "../base/errors.ts";
import { createLogger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import { compose } from "./compose.ts";
import { stopSignal } from "./shutdown.ts";
import { VERSION } from "./version.ts";

/** `recollect worker`: takes jobs, without an API, until it is told to stop. */
export async function work(config: Config, { json = false } = {}): Promise<number> {
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
  const tell = (event: object) => json && process.stdout.write(`${JSON.stringify(event)}\n`);
  tell({ event: "working", version: VERSION });
  await stopping;
  await runtime.close();
  tell({ event: "stopped" });
  logger.info("stopped");
  return 0;
}
