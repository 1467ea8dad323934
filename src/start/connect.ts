import { AppError } from "../base/errors.ts";
import { createLogger } from "../base/logger.ts";
import type { Connection } from "../cli/context.ts";
import type { Config } from "../config/config.ts";
import { compose } from "./compose.ts";
import { advertisedUrl } from "./running-server.ts";

/**
 * How a CLI command reaches the API: the URL it was given, else the server that owns the embedded data folder, else the
 * app in this very process, with its worker.
 */
export async function connect(config: Config, options: { url?: string }): Promise<Connection> {
  const url = options.url ?? config.url;
  if (url !== undefined) return remote(url);
  try {
    const runtime = await compose(config, { logger: createLogger("warn"), worker: true });
    return {
      fetch: async (path, init) => runtime.app.request(path, init),
      close: () => runtime.close(),
      description:
        config.databaseUrl === undefined ? `embedded database in ${config.dataDir}` : "Postgres, in this process",
    };
  } catch (error) {
    const running = config.databaseUrl === undefined ? advertisedUrl(config.dataDir) : undefined;
    if (running && error instanceof AppError && error.code === "data_folder_in_use") return remote(running);
    throw error;
  }
}

function remote(url: string): Connection {
  return {
    fetch: (path, init) => fetch(`${url.replace(/\/+$/, "")}${path}`, init),
    close: async () => undefined,
    description: url,
  };
}
