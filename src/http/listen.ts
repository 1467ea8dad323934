import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { drainable } from "./drain.ts";

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

/**
 * How long a request may take to arrive. Node's five minutes are too short for an archive; one that stops arriving is ended by
 * whoever reads it, and any other body is small.
 */
const REQUEST_TIMEOUT_MS = 6 * 3_600_000;

/**
 * Longer than a load balancer or a client keeps a connection that rests, most of them for a minute: who closes it must be the one that
 * asks, or a request is sent on a connection that is just being closed. Node's five seconds lost one of a benchmark's.
 */
const KEEP_ALIVE_MS = 75_000;

/** Serves the app on a TCP port. Rejects when the port is taken. */
export function listen(app: Fetching, { host, port }: { host: string; port: number }): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const server = createServer(getRequestListener((request) => app.fetch(request), { hostname: host }));
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    const close = drainable(server);
    server.on("error", reject);
    server.listen(port, host, () => {
      // Only a server on a pipe, or none, has another kind of address.
      const { address, family, port: taken } = server.address() as AddressInfo;
      resolve({ url: `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`, close });
    });
  });
}
