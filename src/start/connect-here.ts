import { setFlagsFromString } from "node:v8";
import type { Connection } from "../cli/shell/context.ts";
import { readConfig } from "../config/config.ts";
import { findRuntimes } from "../onnx/runtime.ts";
import { commandLogger } from "./command-logger.ts";
import { compose } from "./compose.ts";

/**
 * The app in this very process, with its worker, on the database that the environment names.
 *
 * @param brief whether the command asks for little and ends
 */
export async function connectHere(brief: boolean): Promise<Connection> {
  const config = readConfig();
  // To optimise the code of the embedded database takes a search by the command line a third of its processor time; a sync of 2,739
  // documents is faster with it. Without the second flag V8 optimises all of it at once. The flags are the process', and a model that
  // runs in WebAssembly needs to be optimised.
  if (brief && config.databaseUrl === undefined && findRuntimes().native)
    setFlagsFromString("--no-wasm-tier-up --no-wasm-dynamic-tiering");
  const runtime = await compose(config, { logger: commandLogger(config), worker: true, keyless: true });
  return {
    // This process has the database itself, so no key could allow it more or less.
    fetch: async (path, init) => runtime.app.request(path, init),
    close: () => runtime.close(),
    description:
      config.databaseUrl === undefined ? `embedded database in ${config.dataDir}` : "Postgres, in this process",
  };
}
