import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type Http2Bindings, type HttpBindings } from "@hono/node-server";
import { BODY_PACE } from "./body/read-body.ts";
import { type AnswerLimits, cutStalled } from "./cut-stalled.ts";
import { drainable } from "./drain.ts";
import { ARCHIVE_PATH, MAX_BODY_BYTES } from "./schemas.ts";

export interface Listener {
  /** The base URL with the port in use (port 0 asks for any free port). */
  readonly url: string;
  /**
   * Accepts no new connection, finishes the requests under way, and resolves when the last one is
   * answered.
   */
  close(): Promise<void>;
}

/** The app that answers requests. */
export interface Fetching {
  /** @param env the connection's request and response, which middleware may need */
  fetch(request: Request, env: HttpBindings | Http2Bindings): Response | Promise<Response>;
}

/**
 * How long an archive may take to arrive. Its route limits the speed too. Node's default of five
 * minutes is too short.
 */
const ARCHIVE_TIMEOUT_MS = 6 * 3_600_000;
/**
 * How long any other request may take: the largest body at the least speed, after a wait for room.
 */
const REQUEST_TIMEOUT_MS = (MAX_BODY_BYTES / BODY_PACE.bytes + 2) * BODY_PACE.withinMs;

/**
 * How long the server keeps an idle connection. A load balancer or a client keeps one for a minute
 * in most cases, and this must be longer: the client must close an idle connection first, otherwise
 * it may send a request on a connection that the server is just closing. Node's five seconds lost a
 * request of a benchmark this way.
 */
const KEEP_ALIVE_MS = 75_000;

/** Serves the app on a TCP port. Rejects when the port is taken. */
export function listen(
  app: Fetching,
  { host, port, answers }: { host: string; port: number; answers?: AnswerLimits },
): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const server = createServer(getRequestListener((request, env) => app.fetch(request, env), { hostname: host }));
    server.requestTimeout = ARCHIVE_TIMEOUT_MS;
    server.on("request", limitArrival);
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    const drain = drainable(server);
    const stopCutting = cutStalled(server, answers);
    const close = () => drain().finally(stopCutting);
    server.on("error", reject);
    server.listen(port, host, () => {
      // Only a server on a pipe, or one that does not listen, has another kind of address.
      const { address, family, port: taken } = server.address() as AddressInfo;
      resolve({ url: `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`, close });
    });
  });
}

/**
 * Ends a connection whose request body takes too long to arrive, whether or not a handler reads it.
 */
function limitArrival(request: IncomingMessage): void {
  const { headers, url } = request;
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  if (!hasBody || url?.split("?")[0] === ARCHIVE_PATH) return;
  const end = () => {
    if (!request.complete) request.socket.destroy();
  };
  const timer = setTimeout(end, REQUEST_TIMEOUT_MS);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
}
