import type { Context } from "hono";
import { type SSEMessage, streamSSE } from "hono/streaming";
import type { AppEnv, HttpDeps } from "../context.ts";
import { knownError } from "../render-error.ts";

/** A stream ends after this time, and the client connects again. */
const LONGEST_MS = 300_000;

/**
 * Answers with server-sent events until they end, the client leaves, or five minutes have passed. A
 * fault that ends them is logged under the request's id. A refusal during the stream, for example
 * because the key was revoked, reaches the client only as the answer to its next connection.
 *
 * @param open begins the events, which end after its signal; an error that it throws becomes the
 *   answer
 */
export async function answerEvents(
  c: Context<AppEnv>,
  { logger }: Pick<HttpDeps, "logger">,
  open: (signal: AbortSignal) => Promise<AsyncIterable<SSEMessage>>,
): Promise<Response> {
  const ended = new AbortController();
  const events = await open(ended.signal);
  // nginx would hold the events back until its buffer is full.
  c.header("X-Accel-Buffering", "no");
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => ended.abort());
    // The timer also ends a stream whose client does not read. In that case a write below waits
    // without end.
    const end = setTimeout(() => stream.abort(), LONGEST_MS).unref();
    try {
      for await (const event of events) await stream.writeSSE(event);
    } catch (error) {
      // Hono would write the error to the console, outside the log.
      knownError(error, c.get("requestId"), logger);
    } finally {
      clearTimeout(end);
      ended.abort();
    }
  });
}
