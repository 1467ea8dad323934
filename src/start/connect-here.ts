import type { Connection, ConnectOptions } from "../cli/shell/context.ts";
import { readConfig } from "../config/config.ts";
import { hasDatabase } from "../db/database-folder.ts";
import { openPglite } from "../db/pglite.ts";
import { noteDataFolder } from "../wiring/data-folders.ts";
import { commandLogger } from "./command-logger.ts";
import { compose } from "./compose.ts";
import { goWithoutOptimiser } from "./without-optimiser.ts";

/**
 * Opens the app in this process, with its worker, on the database that the environment names.
 *
 * @param options.brief whether the command makes few requests and then ends
 */
export async function connectHere({ brief = false, ifMissing }: ConnectOptions): Promise<Connection> {
  const config = readConfig();
  const isEmbedded = config.databaseUrl === undefined;
  const isInMemory = isEmbedded && ifMissing === "in memory" && !hasDatabase(config.dataDir);
  // Optimising takes a third of the processor time of one search by the command line. A sync of 2,739
  // documents is faster with it.
  if (brief) goWithoutOptimiser(config, true);
  const runtime = await compose(config, {
    logger: commandLogger(config),
    worker: true,
    keyless: true,
    skipsDatabaseWarnings: true,
    mustExist: !isEmbedded && ifMissing === undefined,
    ...(isInMemory ? { database: await openPglite() } : {}),
  });
  if (isEmbedded && !isInMemory) noteDataFolder(config);
  return {
    // This process owns the database itself, so a key could not change what it may do.
    fetch: async (path, init) => runtime.app.request(path, init),
    close: () => runtime.close(),
    description: isEmbedded ? `embedded database in ${config.dataDir}` : "Postgres, in this process",
  };
}
