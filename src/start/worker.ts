import { AppError } from "../base/errors.ts";
import { createLogger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import { compose } from "./compose.ts";
import { observeProcess } from "./observe-process.ts";
import { stopSignal } from "./shutdown.ts";
import { warnOfSlowEngine } from "./slow-engine.ts";
import { VERSION } from "./version.ts";

/** Runs `recollect worker`: takes jobs, without an API, until it is told to stop. */
export async function work(config: Config, { json = false } = {}): Promise<number> {
  if (config.databaseUrl === undefined) {
    throw new AppError(
      "config_invalid",
      "A worker of its own needs a Postgres server: set DATABASE_URL. The embedded database belongs to one process, whose worker runs inside it.",
    );
  }
  const stopping = stopSignal();
  const logger = createLogger(config.logLevel);
  const tell = (event: object) =>
    json &&
    process.stdout.write(`${JSON.stringify(event)}
`);
  const observation = await observeProcess(config, logger);
  try {
    const { metrics } = observation;
    const runtime = await compose(config, { logger, metrics, worker: true, keyless: false });
    observation.watch(runtime);
    logger.info(runtime.embedding, "working");
    warnOfSlowEngine(runtime.embedding, logger);
    tell({ event: "working", version: VERSION });
    await stopping;
    runtime.stopAccepting();
    await runtime.close();
  } finally {
    await observation.stop();
  }
  tell({ event: "stopped" });
  logger.info("stopped");
  return 0;
}
