import { AppError } from "../base/errors.ts";
import { createLogger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import { type Listener, listen } from "../http/listen.ts";
import { compose, type Runtime } from "./compose.ts";
import { advertise } from "./running-server.ts";
import { stopSignal } from "./shutdown.ts";

export interface Server {
  readonly url: string;
  readonly runtime: Runtime;
  /** Answers the requests under way, hands unfinished jobs back, closes the database. */
  stop(): Promise<void>;
}

/** Starts the API, with a worker in the same process unless `worker` is false. */
export async function startServer(
  config: Config,
  options: { host?: string; port?: number; worker: boolean; quiet?: boolean },
): Promise<Server> {
  const logger = createLogger(options.quiet ? "warn" : config.logLevel);
  const runtime = await compose(config, { logger, worker: options.worker });
  const listener = await listenOrClose(runtime, {
    host: options.host ?? config.host,
    port: options.port ?? config.port,
  });
  const withdraw = config.databaseUrl === undefined ? advertise(config.dataDir, listener.url) : () => undefined;
  logger.info(
    { url: listener.url, backend: runtime.deps.db.kind, provider: runtime.deps.embedder?.provider ?? "none" },
    "listening",
  );
  return {
    url: listener.url,
    runtime,
    stop: async () => {
      logger.info("stopping");
      runtime.stopAccepting();
      withdraw();
      await listener.close();
      await runtime.close();
      logger.info("stopped");
    },
  };
}

async function listenOrClose(runtime: Runtime, address: { host: string; port: number }): Promise<Listener> {
  try {
    return await listen(runtime.app, address);
  } catch (cause) {
    await runtime.close();
    if ((cause as { code?: unknown }).code !== "EADDRINUSE") throw cause;
    throw new AppError(
      "config_invalid",
      `Port ${address.port} on ${address.host} is taken; choose another with RECOLLECT_PORT or --port.`,
      { cause },
    );
  }
}

/** `recollect serve`: runs until it is told to stop. */
export async function serve(
  config: Config,
  options: { host?: string; port?: number; worker: boolean },
): Promise<number> {
  const stopping = stopSignal();
  const server = await startServer(config, options);
  await stopping;
  await server.stop();
  return 0;
}
