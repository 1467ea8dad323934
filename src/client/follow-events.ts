import { EventSourceParserStream } from "eventsource-parser/stream";
import { RecollectError } from "./recollect-error.ts";
import { pause, type Transport } from "./transport.ts";

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * The data of a stream's events, parsed. The server ends a stream after some minutes, and a connection may break: both are followed
 * by another connection, for as long as the caller goes on. While the server is away, overloaded, or asks the client to wait
 * (429), the next connection waits, at least as long as the server asks. Breaking out of the loop closes the connection.
 *
 * @param pathOf the path of the next connection
 * @throws RecollectError when the server refuses, such as a key that was revoked, or too many streams at the first connection
 */
export async function* followEvents<T>(
  transport: Transport,
  pathOf: () => string,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  const stopped = new AbortController();
  const both = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal;
  try {
    let wasOpen = false;
    for (let failures = 0; !both.aborted; ) {
      let askedMs = 0;
      try {
        const headers = { accept: "text/event-stream" };
        const response = await transport.open("GET", pathOf(), { headers, signal: both });
        wasOpen = true;
        for await (const event of eventsOf(response)) {
          failures = 0;
          yield JSON.parse(event.data) as T;
        }
      } catch (error) {
        if (both.aborted) return;
        if (error instanceof RecollectError && isRefusal(error, wasOpen)) throw error;
        askedMs = (error instanceof RecollectError ? error.retryAfterMs : undefined) ?? 0;
      }
      const ownMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures++);
      await pause(Math.max(askedMs, ownMs * (0.5 + Math.random() / 2)), both).catch(() => undefined);
    }
  } finally {
    stopped.abort();
  }
}

/** Whether waiting does not help. A server whose streams are all taken says no time; of a stream that was open they may be its own. */
function isRefusal({ status, retryAfterMs }: RecollectError, wasOpen: boolean): boolean {
  if (status === 429) return retryAfterMs === undefined && !wasOpen;
  return status !== undefined && status < 500;
}

function eventsOf(response: Response) {
  if (!response.body) throw new RecollectError("service_unreachable", "The stream has no body.", {});
  return response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}
