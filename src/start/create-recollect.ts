import { createLogger } from "../base/logger.ts";
import { createClient, type RecollectClient } from "../client/client.ts";
import { readConfig } from "../config/config.ts";
import { openPglite } from "../db/pglite.ts";
import { compose } from "./compose.ts";
import { warnOfSlowEngine } from "./slow-engine.ts";

export interface RecollectOptions {
  /**
   * The folder of the embedded database. Without it the database is in memory, and is lost when it
   * is closed.
   */
  dataDir?: string;
  /** A Postgres server to use instead of the embedded database. */
  databaseUrl?: string;
  /**
   * An embedding provider to use instead of the built-in model; `none` searches by keyword only.
   */
  provider?: "openai" | "gemini" | "voyage" | "mistral" | "builtin" | "none";
  /**
   * Other variables of docs/SETTINGS.md. The process's own environment is read only if it is passed
   * here.
   */
  env?: Readonly<Record<string, string | undefined>>;
}

/** The whole service in this process, behind the same client that a server has. */
export interface Recollect extends RecollectClient {
  /** Hands unfinished jobs back and closes the database. */
  close(): Promise<void>;
}

/**
 * Starts the service in this process, for applications and tests: no port, no server, no Docker.
 * Its client is the same as a server's, so moving to a server changes only the line that creates
 * the client.
 *
 * @throws AppError `data_folder_in_use` when another process has the folder open, `config_invalid`,
 *   `embedder_unavailable`
 */
export async function createRecollect(options: RecollectOptions = {}): Promise<Recollect> {
  const { dataDir, databaseUrl, provider, env = {} } = options;
  const config = readConfig({
    RECOLLECT_LOG_LEVEL: "warn",
    ...env,
    ...(dataDir === undefined ? {} : { RECOLLECT_DATA_DIR: dataDir }),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(provider === undefined ? {} : { RECOLLECT_PROVIDER: provider }),
  });
  const inMemory = dataDir === undefined && config.databaseUrl === undefined && env.RECOLLECT_DATA_DIR === undefined;
  const logger = createLogger(config.logLevel);
  const runtime = await compose(config, {
    logger,
    worker: true,
    keyless: true,
    ...(inMemory ? { database: await openPglite() } : {}),
  });
  warnOfSlowEngine(runtime.embedding, logger);
  const client = createClient({
    url: "http://localhost",
    fetch: async (url, init) => runtime.app.request(url, init),
  });
  return {
    ...client,
    close: async () => {
      runtime.stopAccepting();
      await runtime.close();
    },
  };
}
