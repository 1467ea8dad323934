import { AppError } from "../base/errors.ts";
import { createLogger } from "../base/logger.ts";
import { labelled } from "../cli/shell/call.ts";
import type { ProcessOutput } from "../cli/shell/context.ts";
import type { Config } from "../config/config.ts";
import { commandLogger } from "./command-logger.ts";
import { compose } from "./compose.ts";
import { observeProcess } from "./observe-process.ts";
import { stopSignal } from "./shutdown.ts";
import { warnOfSlowEngine } from "./slow-engine.ts";
import { databaseRows, writesText } from "./speak-to-person.ts";
import { VERSION } from "./version.ts";

/** Runs `recollect worker`: takes jobs, without an API, until it is told to stop. */
export async function work(config: Config, options: ProcessOutput = {}): Promise<number> {
  if (config.databaseUrl === undefined) {
    throw new AppError(
      "config_invalid",
      "A worker of its own needs a Postgres server: set DATABASE_URL. The embedded database belongs to one process, whose worker runs inside it.",
    );
  }
  const stopping = stopSignal();
  const isText = writesText(options);
  const logger = isText ? commandLogger(config) : createLogger(config.logLevel);
  const tell = (event: object) => options.json && process.stdout.write(`${JSON.stringify(event)}\n`);
  const say = (text: string) => isText && process.stderr.write(text);
  const observation = await observeProcess(config, logger);
  try {
    const { metrics } = observation;
    const runtime = await compose(config, { logger, metrics, worker: true, keyless: false });
    observation.watch(runtime);
    logger.info(runtime.embedding, "working");
    warnOfSlowEngine(runtime.embedding, logger);
    tell({ event: "working", version: VERSION });
    say(`Recollect ${VERSION} runs jobs\n\n${labelled(databaseRows(config))}\nCtrl-C stops it.\n`);
    await stopping;
    say("\nStopping: unfinished jobs are handed back. A second Ctrl-C ends at once.\n");
    runtime.stopAccepting();
    await runtime.close();
  } finally {
    await observation.stop();
  }
  tell({ event: "stopped" });
  logger.info("stopped");
  say("Stopped.\n");
  return 0;
}
