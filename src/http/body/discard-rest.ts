import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context.ts";
import { MAX_BODY_BYTES } from "../schemas.ts";

/** How long a refused request's sender may take to send the rest before it is answered all the same. */
const WAIT_MS = 5000;

/**
 * Reads to its end what is left of a body that was refused, before the refusal is sent. The HTTP server closes a connection half
 * a second after an answer to a request that was not read to its end, without a word to the client, whose next request
 * may be on its way by then.
 */
export const discardRest: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  // Requests within the process have no connection.
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  if (c.res.status >= 400 && incoming && !incoming.readableEnded) await readToEnd(incoming as IncomingMessage);
};

function readToEnd(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = MAX_BODY_BYTES;
    const timer = setTimeout(resolve, WAIT_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    // Whoever began to read it as a web stream would pause it again and again.
    incoming.removeAllListeners("data");
    incoming.on("data", (part: Buffer) => {
      left -= part.length;
      if (left < 0) done();
    });
    for (const event of ["end", "close", "error"]) incoming.once(event, done);
    incoming.resume();
  });
}
