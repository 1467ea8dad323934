import "./require-node.ts";
import type { RecollectClient } from "../client/client.ts";
import type { RecollectOptions } from "./recollect-options.ts";

// An older Node.js can load `recollect-error.ts`, because it imports only a type.
// biome-ignore lint/performance/noBarrelFile: the entry of recollect has to name what its users catch.
export { RecollectError } from "../client/recollect-error.ts";
export type { RecollectOptions } from "./recollect-options.ts";

/** How long `close` waits for the calls under way. */
const DRAIN_MS = 15_000;

/** The whole service in this process, behind the same client that a server has. */
export interface Recollect extends RecollectClient {
  /**
   * Waits until calls under way are answered, for some seconds at most, hands unfinished jobs back,
   * and closes the database. Open streams of events and later calls throw `service_unreachable`.
   */
  close(): Promise<void>;
  /** Closes at the end of a block with `await using recollect = await createRecollect()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the service in this process, for applications and tests: no port, no server, no Docker.
 * Its client is the same as a server's, so moving to a server changes only the line that creates
 * the client.
 *
 * @throws RecollectError `data_folder_in_use` when the folder is open already, `config_invalid`,
 *   `embedder_unavailable`
 */
export async function createRecollect(options: RecollectOptions = {}): Promise<Recollect> {
  // An older Node.js fails to link the service, so this is no static import.
  const { createClient, RecollectError } = await import("../client/client.ts");
  const { startHere } = await import("./start-here.ts");
  const runtime = await startHere(options, { keyless: true });
  const closed = new AbortController();
  const underWay = new Set<Promise<Response>>();
  const client = createClient({
    url: "http://localhost",
    fetch: async (url, init) => {
      const { signal } = init;
      signal?.throwIfAborted();
      const answer = Promise.resolve(runtime.app.request(url, init)).finally(() => underWay.delete(answer));
      underWay.add(answer);
      return signal ? unlessAborted(answer, signal) : answer;
    },
    closed: closed.signal,
  });
  let closing: Promise<void> | undefined;
  const closeOnce = async () => {
    closed.abort(new RecollectError("service_unreachable", "This Recollect was closed.", {}));
    runtime.stopAccepting();
    const late = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref());
    await Promise.race([Promise.allSettled(underWay), late]);
    await runtime.close();
  };
  const close = () => (closing ??= closeOnce());
  return { ...client, close, [Symbol.asyncDispose]: close };
}

/**
 * Waits for an answer, as `fetch` does: an aborted request may be carried out, but nobody waits for it.
 *
 * @throws the signal's reason when the signal is aborted before there is an answer
 */
async function unlessAborted(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { signal: settled.signal });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    settled.abort();
  }
}
