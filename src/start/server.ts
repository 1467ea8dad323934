import { AppError } from "../base/errors.ts";
import { createLogger, type Logger } from "../base/logger.ts";
import { labelled } from "../cli/shell/call.ts";
import type { ServeOptions } from "../cli/shell/context.ts";
import type { Config } from "../config/config.ts";
import { hasUsableKey } from "../service/admin/manage-keys.ts";
import { loadModelsInUse } from "../service/embedding/warm-embedder.ts";
import { noteDataFolder } from "../wiring/data-folders.ts";
import { advertise } from "../wiring/running-server.ts";
import { commandLogger } from "./command-logger.ts";
import { compose, type Runtime } from "./compose.ts";
import { listenAt, requireFreePlace } from "./listen-at.ts";
import { type Observation, observeProcess } from "./observe-process.ts";
import { stopSignal } from "./shutdown.ts";
import { warnOfSlowEngine } from "./slow-engine.ts";
import { databaseRows, writesText } from "./speak-to-person.ts";
import { typedCommand } from "./typed-command.ts";
import { VERSION } from "./version.ts";
import { goWithoutOptimiser } from "./without-optimiser.ts";

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
  const place = {
    host,
    port: options.port ?? config.port,
    hostSetting: "RECOLLECT_HOST or --host",
    portSetting: "RECOLLECT_PORT or --port",
  };
  await requireFreePlace(place);
  goWithoutOptimiser(config, false);
  const runtime = await compose(config, { logger, metrics, worker: options.worker, keyless });
  if (!keyless) await requireKey(runtime, config, logger);
  await loadModelsInUse(runtime.deps);
  const listener = await listenAt(runtime.app, place).catch(async (error: unknown) => {
    await runtime.close();
    throw error;
  });
  observation.watch(runtime);
  if (config.databaseUrl === undefined) noteDataFolder(config);
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
      // Before the port is closed: clients of a single process would wait for its jobs.
      await runtime.handBackJobs();
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
  const quiet = writesText(options);
  const server = await startServer(config, { ...options, quiet });
  const tell = (event: object) => options.json && process.stdout.write(`${JSON.stringify(event)}\n`);
  const say = (text: string) => quiet && process.stderr.write(text);
  tell({ event: "listening", url: server.url, version: VERSION });
  say(greeting(config, server, options.worker));
  await stopping;
  say("\nStopping: the requests under way are answered first. A second Ctrl-C ends at once.\n");
  await server.stop();
  say("Stopped.\n");
  tell({ event: "stopped" });
  return 0;
}

/** Returns the text for a person who has started the server at a terminal. */
function greeting(config: Config, server: Server, worker: boolean): string {
  const { provider, model } = server.runtime.embedding;
  return `Recollect ${VERSION} serves at ${server.url}\n\n${labelled([
    ["console", config.console ? `${server.url}/console/` : undefined],
    ...databaseRows(config),
    ["model", provider === "none" ? "none: search is by keyword only" : `${model} (${provider})`],
    ["jobs", worker ? undefined : "not run here: recollect worker runs them"],
    ["metrics", server.metricsUrl],
  ])}\nCtrl-C stops it. In another terminal: ${typedCommand(process.cwd())} sync ~/notes\n`;
}
