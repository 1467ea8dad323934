import { serve } from "@hono/node-server";

export interface Listener {
  /** Base URL with the port that was taken (0 asks for any). */
  readonly url: string;
  /** Takes no new connection, finishes the requests under way, and resolves when the last one is answered. */
  close(): Promise<void>;
}

/** What answers requests. */
export interface Fetching {
  fetch(request: Request, ...more: never[]): Response | Promise<Response>;
}

/** Requests that have not finished this long after `close` are cut off. */
const DRAIN_MS = 15_000;

/**
 * How long a request may take to arrive. Node's five minutes are too short for an archive; one that stops arriving is ended by
 * whoever reads it, and any other body is small.
 */
const REQUEST_TIMEOUT_MS = 6 * 3_600_000;

/** Serves the app on a TCP port. Rejects when the port is taken. */
export function listen(app: Fetching, options: { host: string; port: number }): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const server = serve(
      { fetch: (request) => app.fetch(request), hostname: options.host, port: options.port },
      (address) => {
        const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
        resolve({ url: `http://${host}:${address.port}`, close });
      },
    );
    if ("requestTimeout" in server) server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.on("error", reject);
    const close = () =>
      new Promise<void>((done) => {
        const cutOff =
          "closeAllConnections" in server ? setTimeout(() => server.closeAllConnections(), DRAIN_MS) : undefined;
        server.close(() => {
          clearTimeout(cutOff);
          done();
        });
        if ("closeIdleConnections" in server) server.closeIdleConnections();
      });
  });
}
