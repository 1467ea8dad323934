import { AppError } from "../base/errors.ts";
import type { Connection, ConnectOptions } from "../cli/shell/context.ts";
import type { Config } from "../config/config.ts";
import { openProfiles } from "../config/profiles.ts";
import { commandLogger } from "./command-logger.ts";
import { type Target, targetOf } from "./command-target.ts";
import { advertisedUrl } from "./running-server.ts";

/**
 * How a CLI command reaches the API: the server it was told of, else the one that owns the embedded data folder, else the app in
 * this very process, with its worker.
 */
export async function connect(config: Config, options: ConnectOptions): Promise<Connection> {
  const target = targetOf(options, config, () => openProfiles().read());
  if (target) return connectTo(target);
  try {
    const { compose } = await import("./compose.ts");
    const runtime = await compose(config, { logger: commandLogger(config), worker: true, keyless: true });
    return {
      // This process has the database itself, so no key could allow it more or less.
      fetch: async (path, init) => runtime.app.request(path, init),
      close: () => runtime.close(),
      description:
        config.databaseUrl === undefined ? `embedded database in ${config.dataDir}` : "Postgres, in this process",
    };
  } catch (error) {
    const running = config.databaseUrl === undefined ? advertisedUrl(config.dataDir) : undefined;
    if (running && error instanceof AppError && error.code === "data_folder_in_use")
      return connectTo({ url: running, key: config.apiKey, description: running });
    throw error;
  }
}

/** A server over the network. */
export function connectTo({ url, key, description }: Target): Connection {
  const base = url.replace(/\/+$/, "");
  return {
    fetch: (path, init) => {
      const headers = new Headers(init?.headers);
      if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
      // A redirect would take key and texts to a host that nobody has named.
      return fetch(`${base}${path}`, { ...init, headers, redirect: "manual" });
    },
    close: async () => undefined,
    description,
    keyed: key !== undefined,
  };
}
