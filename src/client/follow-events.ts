import { EventSourceParserStream } from "eventsource-parser/stream";
import { RecollectError } from "./recollect-error.ts";
import { anyOf, pause, type Transport } from "./transport.ts";

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Yields the parsed data of a stream's events. The server ends a stream after some minutes, and a
 * connection may break. In both cases the client connects again, for as long as the caller
 * continues the loop. While the server is away, is overloaded or asks the client to wait (429), the
 * client waits before it connects again, at least as long as the server asks. Leaving the loop
 * closes the connection.
 *
 * @param pathOf returns the path of the next connection
 * @param signals end the loop when one of them is aborted
 * @throws RecollectError when the server refuses, for example because a key was revoked, or because
 * too many streams are open at the first connection; the reason of the signal that was aborted, or why
 * the client was closed
 */
export async function* followEvents<T>(
  transport: Transport,
  pathOf: () => string,
  ...signals: readonly (AbortSignal | undefined)[]
): AsyncGenerator<T> {
  const stopped = new AbortController();
  const ended = anyOf(stopped.signal, transport.closed, ...signals);
  try {
    let wasOpen = false;
    for (let failures = 0; ; ) {
      ended.throwIfAborted();
      let askedMs = 0;
      try {
        const headers = { accept: "text/event-stream" };
        const response = await transport.open("GET", pathOf(), { headers, signal: ended });
        wasOpen = true;
        for await (const event of eventsOf(response, ended)) {
          failures = 0;
          yield JSON.parse(event.data) as T;
        }
      } catch (error) {
        ended.throwIfAborted();
        if (error instanceof RecollectError && isRefusal(error, wasOpen)) throw error;
        askedMs = (error instanceof RecollectError ? error.retryAfterMs : undefined) ?? 0;
      }
      const ownMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures++);
      await pause(Math.max(askedMs, ownMs * (0.5 + Math.random() / 2)), ended);
    }
  } finally {
    stopped.abort();
  }
}

/**
 * Returns whether a new connection is useless. A server that has no free place for a stream sends
 * no Retry-After. If this stream was open before, the place may be taken by the stream's own
 * previous connection.
 */
function isRefusal({ status, retryAfterMs }: RecollectError, wasOpen: boolean): boolean {
  if (status === 429) return retryAfterMs === undefined && !wasOpen;
  return status !== undefined && status < 500;
}

/** Reads the events of a response. The signal also ends a body that no `fetch` has made. */
function eventsOf(response: Response, signal: AbortSignal) {
  if (!response.body) throw new RecollectError("service_unreachable", "The stream has no body.", {});
  return response.body.pipeThrough(new TextDecoderStream(), { signal }).pipeThrough(new EventSourceParserStream());
}
