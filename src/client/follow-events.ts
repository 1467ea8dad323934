import { EventSourceParserStream } from "eventsource-parser/stream";
import { RecollectError } from "./recollect-error.ts";
import { pause, type Transport } from "./transport.ts";

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * The data of a stream's events, parsed. The server ends a stream after some minutes, and a connection may break: both are followed
 * by another, for as long as whoever asks goes on. Breaking out of the loop closes the connection.
 *
 * @param pathOf the path of the next connection
 * @throws RecollectError when the server refuses, such as a key that was revoked
 */
export async function* followEvents<T>(
  transport: Transport,
  pathOf: () => string,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  const stopped = new AbortController();
  const both = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal;
  try {
    for (let failures = 0; !both.aborted; ) {
      try {
        for await (const event of eventsOf(
          await transport.open("GET", pathOf(), { headers: { accept: "text/event-stream" }, signal: both }),
        )) {
          failures = 0;
          yield JSON.parse(event.data) as T;
        }
      } catch (error) {
        if (both.aborted) return;
        if (error instanceof RecollectError && error.status !== undefined && error.status < 500) throw error;
      }
      const waitMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures++);
      await pause(waitMs, both).catch(() => undefined);
    }
  } finally {
    stopped.abort();
  }
}

function eventsOf(response: Response) {
  if (!response.body) throw new RecollectError("service_unreachable", "The stream has no body.", {});
  return response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}
