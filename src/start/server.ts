import { AppError } from "../base/errors.ts";
import { createLogger, type Logger } from "../base/logger.ts";
import type { ServeOptions } from "../cli/shell/context.ts";
import type { Config } from "../config/config.ts";
import { hasUsableKey } from "../service/admin/manage-keys.ts";
import { loadModelsInUse } from "../service/embedding/warm-embedder.ts";
import { advertise } from "../wiring/running-server.ts";
import { commandLogger } from "./command-logger.ts";
import { compose, type Runtime } from "./compose.ts";
import { listenAt } from "./listen-at.ts";
import { type Observation, observeProcess } from "./observe-process.ts";
import { stopSignal } from "./shutdown.ts";
import { warnOfSlowEngine } from "./slow-engine.ts";
import { VERSION } from "./version.ts";

export interface Server {
  readonly url: string;
  /** The URL of metrics and probes; undefined without a port for them. */
  readonly metricsUrl: string | undefined;
  readonly runtime: Runtime;
  /** Answers the requests under way, hands unfinished jobs back, and closes the database. */
  stop(): Promise<void>;
}

/** Starts the API, with a worker in the same process unless `worker` is false. */
export async function startServer(
  config: Config,
  options: { host?: string; port?: number; worker: boolean; quiet?: boolean },
): Promise<Server> {
  const logger = options.quiet ? commandLogger(config) : createLogger(config.logLevel);
  const observation = await observeProcess(config, logger);
  try {
    return await startObserved(config, options, logger, observation);
  } catch (error) {
    await observation.stop();
    throw error;
  }
}

async function startObserved(
  config: Config,
  options: { host?: string; port?: number; worker: boolean },
  logger: Logger,
  observation: Observation,
): Promise<Server> {
  const { metrics } = observation;
  const host = options.host ?? config.host;
  const keyless = config.databaseUrl === undefined && isLoopback(host);
  const runtime = await compose(config, { logger, metrics, worker: options.worker, keyless });
  if (!keyless) await requireKey(runtime, config, logger);
  await loadModelsInUse(runtime.deps);
  const address = { host, port: options.port ?? config.port };
  const listener = await listenAt(runtime.app, address, "RECOLLECT_PORT or --port").catch(async (error: unknown) => {
    await runtime.close();
    throw error;
  });
  observation.watch(runtime);
  const withdraw = config.databaseUrl === undefined ? advertise(config.dataDir, listener.url) : () => undefined;
  logger.info({ url: listener.url, backend: runtime.deps.db.kind, ...runtime.embedding }, "listening");
  warnOfSlowEngine(runtime.embedding, logger);
  return {
    url: listener.url,
    metricsUrl: observation.url,
    runtime,
    stop: async () => {
      logger.info("stopping");
      runtime.stopAccepting();
      withdraw();
      await listener.close();
      await runtime.close();
      await observation.stop();
      logger.info("stopped");
    },
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Refuses to start a server on an embedded database that other machines can reach and that has no
 * key. A server on Postgres may start: its first key is made with `recollect keys create` by the
 * operator, who has the database's URL, and until then it answers 401 to every request.
 */
async function requireKey(runtime: Runtime, config: Config, logger: Logger): Promise<void> {
  if (await hasUsableKey(runtime.deps)) return;
  const remedy = "Make one with `recollect keys create admin --scope admin`, or set RECOLLECT_ADMIN_KEY.";
  if (config.databaseUrl !== undefined) {
    logger.warn(`There is no API key yet, so every request will be refused. ${remedy}`);
    return;
  }
  await runtime.close();
  throw new AppError(
    "config_invalid",
    `Without an API key the embedded database is served on loopback only. ${remedy} Or listen on 127.0.0.1.`,
  );
}

/** Runs `recollect serve` until it is told to stop. */
export async function serve(config: Config, options: ServeOptions): Promise<number> {
  const stopping = stopSignal();
  const server = await startServer(config, options);
  const tell = (event: object) => options.json && process.stdout.write(`${JSON.stringify(event)}\n`);
  tell({ event: "listening", url: server.url, version: VERSION });
  await stopping;
  await server.stop();
  tell({ event: "stopped" });
  return 0;
}
