import { setFlagsFromString } from "node:v8";
import type { Connection } from "../cli/shell/context.ts";
import { readConfig } from "../config/config.ts";
import { findRuntimes } from "../onnx/runtime.ts";
import { commandLogger } from "./command-logger.ts";
import { compose } from "./compose.ts";

/**
 * Opens the app in this process, with its worker, on the database that the environment names.
 *
 * @param brief whether the command makes few requests and then ends
 */
export async function connectHere(brief: boolean): Promise<Connection> {
  const config = readConfig();
  // Optimising the embedded database's WebAssembly takes a third of the processor time of one
  // search by the command line, so brief commands switch it off. A sync of 2,739 documents is
  // faster with it. Without the second flag V8 optimises all of the code at once. The flags hold
  // for the whole process, and a model that runs in WebAssembly needs the optimisation, so they are
  // set only if the models run natively.
  if (brief && config.databaseUrl === undefined && findRuntimes().native)
    setFlagsFromString("--no-wasm-tier-up --no-wasm-dynamic-tiering");
  const runtime = await compose(config, { logger: commandLogger(config), worker: true, keyless: true });
  return {
    // This process owns the database itself, so a key could not change what it may do.
    fetch: async (path, init) => runtime.app.request(path, init),
    close: () => runtime.close(),
    description:
      config.databaseUrl === undefined ? `embedded database in ${config.dataDir}` : "Postgres, in this process",
  };
}
