import "./require-node.ts";
import type { RecollectClient } from "../client/client.ts";
import type { RecollectOptions } from "./recollect-options.ts";

export type { RecollectOptions } from "./recollect-options.ts";

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
  // An older Node.js fails to link the service, so this is no static import.
  const { createClient } = await import("../client/client.ts");
  const { startHere } = await import("./start-here.ts");
  const runtime = await startHere(options, { keyless: true });
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
