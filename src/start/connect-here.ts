import type { Connection } from "../cli/shell/context.ts";
import { readConfig } from "../config/config.ts";
import { commandLogger } from "./command-logger.ts";
import { compose } from "./compose.ts";

/** The app in this very process, with its worker, on the database that the environment names. */
export async function connectHere(): Promise<Connection> {
  const config = readConfig();
  const runtime = await compose(config, { logger: commandLogger(config), worker: true, keyless: true });
  return {
    // This process has the database itself, so no key could allow it more or less.
    fetch: async (path, init) => runtime.app.request(path, init),
    close: () => runtime.close(),
    description:
      config.databaseUrl === undefined ? `embedded database in ${config.dataDir}` : "Postgres, in this process",
  };
}
