import type { Connection, ConnectOptions } from "../cli/shell/context.ts";
import { readCommandConfig } from "../config/command-config.ts";
import { openProfiles } from "../config/profiles.ts";
import { databaseNotUsed, targetOf, unclearTarget } from "../wiring/command-target.ts";
import { connectTo } from "../wiring/connect-to-server.ts";
import { serverOfFolder } from "../wiring/running-server.ts";

/** The address of a server that was started with its defaults. */
const LOCAL_SERVER = "http://127.0.0.1:7420";

/**
 * Connects a CLI command to the API: to the server that the options, environment or profile name;
 * else to the server that owns the embedded data folder; else to the app in this process, with its
 * worker. Only the last case loads the service.
 *
 * @param say is called with a line for the user if the environment also names a database, which
 *   is not used
 * @throws AppError `config_invalid` if this machine has no database there, unless
 *   `options.ifMissing` allows that; for an irreversible command, if the environment names both a
 *   server and a database
 */
export async function connect(options: ConnectOptions, say: (line: string) => void): Promise<Connection> {
  const config = readCommandConfig();
  const target = targetOf(options, config, () => openProfiles().read());
  if (target) {
    // A command that only looks for a server never uses a database.
    const notUsed = options.onlyServer ? undefined : databaseNotUsed(target, config);
    if (notUsed !== undefined && options.irreversible) throw unclearTarget(target);
    if (notUsed !== undefined) say(`${notUsed}\n`);
    return connectTo(target);
  }
  const url = config.databaseUrl === undefined ? serverOfFolder(config.dataDir) : undefined;
  if (url !== undefined) return connectTo({ url, key: config.apiKey, description: url });
  if (options.onlyServer) return connectTo({ url: LOCAL_SERVER, key: config.apiKey, description: LOCAL_SERVER });
  if (config.databaseUrl === undefined && options.ifMissing === undefined) {
    const { requireDatabase } = await import("../wiring/missing-database.ts");
    await requireDatabase(config.dataDir);
  }
  const { connectHere } = await import("./connect-here.ts");
  return connectHere(options);
}
