import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

/** What a fake server is sent; undefined when whoever asked was killed, or gave up, while asking: then it has asked nothing. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return buffer(request).catch(() => undefined);
}
