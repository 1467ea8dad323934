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
export async function connect(config: Config, options: { url?: string; tenant?: string }): Promise<Connection> {
  const url = options.url ?? config.url;
  const headers: Record<string, string> = options.tenant === undefined ? {} : { "recollect-tenant": options.tenant };
  if (config.apiKey !== undefined) headers.authorization = `Bearer ${config.apiKey}`;
  if (url !== undefined) return remote(url, headers);
  try {
    const runtime = await compose(config, { logger: createLogger("warn"), worker: true, keyless: true });
    return {
      // This process has the database itself, so no key could allow it more or less.
      fetch: async (path, init) =>
        runtime.app.request(path, withHeaders(init, { ...headers, authorization: undefined })),
      close: () => runtime.close(),
      description:
        config.databaseUrl === undefined ? `embedded database in ${config.dataDir}` : "Postgres, in this process",
    };
  } catch (error) {
    const running = config.databaseUrl === undefined ? advertisedUrl(config.dataDir) : undefined;
    if (running && error instanceof AppError && error.code === "data_folder_in_use") return remote(running, headers);
    throw error;
  }
}

function withHeaders(init: RequestInit | undefined, more: Record<string, string | undefined>): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(more)) if (value !== undefined) headers.set(name, value);
  return { ...init, headers };
}

function remote(url: string, headers: Record<string, string>): Connection {
  return {
    fetch: (path, init) => fetch(`${url.replace(/\/+$/, "")}${path}`, withHeaders(init, headers)),
    close: async () => undefined,
    description: url,
  };
}
