import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

/**
 * Reads the body sent to a fake server. Returns undefined if the client was killed or gave up while
 * sending, because then it has sent no request.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return buffer(request).catch(() => undefined);
}
