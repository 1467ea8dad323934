import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { yieldToLoop } from "../base/yield-to-loop.ts";

/**
 * How long an idle connection stays open after draining begins. A request that arrives on it in
 * this time is answered with `Connection: close`. If the connection were closed at once, a client
 * that had just sent a request could not know whether the server received it.
 */
const LINGER_MS = 500;
/** Requests that have not finished this long after draining began are cut off. */
const DRAIN_MS = 15_000;

/**
 * Watches a server's connections from its start, so that the server can be drained without losing a
 * request.
 *
 * @returns a function that drains the server: it accepts no new connection, answers requests on
 *   open connections with `Connection: close`, and resolves when the last connection is closed
 */
export function drainable(server: Server): () => Promise<void> {
  const underWay = new Map<Socket, Set<ServerResponse>>();
  let draining = false;
  server.on("connection", (socket) => {
    underWay.set(socket, new Set());
    socket.once("close", () => underWay.delete(socket));
  });
  // This listener must run before the listener that answers.
  server.prependListener("request", ({ socket }, response) => {
    const ofSocket = underWay.get(socket);
    ofSocket?.add(response);
    if (draining) makeLast(response);
    response.once("close", () => {
      ofSocket?.delete(response);
      // An answer whose headers were sent before draining began told the client to keep the
      // connection.
      if (draining && ofSocket?.size === 0) socket.end(() => socket.destroy());
    });
  });
  const cut = (which: (responses: ReadonlySet<ServerResponse>) => boolean) => {
    for (const [socket, responses] of underWay) if (which(responses)) socket.destroy();
  };
  return async () => {
    draining = true;
    for (const responses of underWay.values()) responses.forEach(makeLast);
    // In a busy process, timers and signals run before the sockets are read, so connections and
    // requests that have already arrived may still be unread. One turn of the event loop reads
    // them.
    const timers = [
      setTimeout(() => void yieldToLoop().then(() => cut(isEmpty)), LINGER_MS),
      setTimeout(cut, DRAIN_MS, () => true),
    ];
    await yieldToLoop();
    // `close` of the HTTP server is not used: it also destroys connections whose answer is written
    // but not yet sent.
    await new Promise<unknown>((closed) => NetServer.prototype.close.call(server, closed));
    timers.forEach(clearTimeout);
  };
}

function makeLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

function isEmpty(responses: ReadonlySet<ServerResponse>): boolean {
  return responses.size === 0;
}
