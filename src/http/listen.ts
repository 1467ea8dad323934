import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type Http2Bindings, type HttpBindings } from "@hono/node-server";
import { BODY_PACE } from "./body/read-body.ts";
import { type AnswerLimits, cutStalled } from "./cut-stalled.ts";
import { drainable } from "./drain.ts";
import { ARCHIVE_PATH, MAX_BODY_BYTES } from "./schemas.ts";

export interface Listener {
  /** Base URL with the port that was taken (0 asks for any). */
  readonly url: string;
  /** Takes no new connection, finishes the requests under way, and resolves when the last one is answered. */
  close(): Promise<void>;
}

/** What answers requests. */
export interface Fetching {
  /** @param env the connection's request and response, which middleware may need */
  fetch(request: Request, env: HttpBindings | Http2Bindings): Response | Promise<Response>;
}

/** How long an archive may take to arrive, for all that its route asks of its speed. Node's five minutes are too short. */
const ARCHIVE_TIMEOUT_MS = 6 * 3_600_000;
/** And any other request: the largest body at the least speed, after a wait for room. */
const REQUEST_TIMEOUT_MS = (MAX_BODY_BYTES / BODY_PACE.bytes + 2) * BODY_PACE.withinMs;

/**
 * Longer than a load balancer or a client keeps a connection that rests, most of them for a minute: who closes it must be the one that
 * asks, or a request is sent on a connection that is just being closed. Node's five seconds lost one of a benchmark's.
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
      // Only a server on a pipe, or none, has another kind of address.
      const { address, family, port: taken } = server.address() as AddressInfo;
      resolve({ url: `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`, close });
    });
  });
}

/** Ends a connection whose request's body takes too long to arrive, whether or not anybody reads it. */
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
