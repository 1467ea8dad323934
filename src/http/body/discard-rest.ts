import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context.ts";
import { MAX_BODY_BYTES } from "../schemas.ts";

/**
 * How long the sender of a refused request may take to send the rest of its body. After that the
 * refusal is sent all the same.
 */
const WAIT_MS = 5000;

/**
 * Reads the rest of a refused body to its end before the refusal is sent. Otherwise the HTTP server
 * closes the connection half a second after its answer, without telling the client, whose next
 * request may already be on its way.
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
    // A reader that began to read the body as a web stream would pause the request again and again.
    incoming.removeAllListeners("data");
    incoming.on("data", (part: Buffer) => {
      left -= part.length;
      if (left < 0) done();
    });
    for (const event of ["end", "close", "error"]) incoming.once(event, done);
    incoming.resume();
  });
}
