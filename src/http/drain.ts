import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as pollOnce } from "node:timers/promises";

/**
 * Connections without a request are left open for so long: a client that uses one meanwhile is answered, and told to use it no
 * more. Closed at once, it would be left with a request that may have been lost on the way or not.
 */
const LINGER_MS = 500;
/** Requests that have not finished this long after the beginning are cut off. */
const DRAIN_MS = 15_000;

/**
 * Watches a server's connections from its start, so that it can be emptied without a request being lost.
 *
 * @returns takes no new connection, answers what is asked on those that are open with `Connection: close`, and resolves when
 *   the last is closed
 */
export function drainable(server: Server): () => Promise<void> {
  const underWay = new Map<Socket, Set<ServerResponse>>();
  let draining = false;
  server.on("connection", (socket) => {
    underWay.set(socket, new Set());
    socket.once("close", () => underWay.delete(socket));
  });
  // Before the listener that answers.
  server.prependListener("request", ({ socket }, response) => {
    const ofSocket = underWay.get(socket);
    ofSocket?.add(response);
    if (draining) makeLast(response);
    response.once("close", () => {
      ofSocket?.delete(response);
      // An answer that had begun before said that the connection is kept.
      if (draining && ofSocket?.size === 0) socket.end(() => socket.destroy());
    });
  });
  const cut = (which: (responses: ReadonlySet<ServerResponse>) => boolean) => {
    for (const [socket, responses] of underWay) if (which(responses)) socket.destroy();
  };
  return async () => {
    draining = true;
    for (const responses of underWay.values()) responses.forEach(makeLast);
    // Timers and signals come before what a busy process has not read yet: connections and requests that have arrived.
    const timers = [
      setTimeout(() => void pollOnce().then(() => cut(isEmpty)), LINGER_MS),
      setTimeout(cut, DRAIN_MS, () => true),
    ];
    await pollOnce();
    // Not the HTTP server's own: that destroys connections at once whose answer is written but not sent yet.
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
