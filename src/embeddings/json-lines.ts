import { yieldToLoop } from "../base/yield-to-loop.ts";

/** The number of values per slice: a few milliseconds of work. */
const SLICE = 200;

/**
 * Writes values as JSON lines, slice by slice: thousands of texts at once would block the event
 * loop.
 */
export async function toJsonLines<T>(items: readonly T[], lineOf: (item: T) => object): Promise<Buffer<ArrayBuffer>[]> {
  const pieces: Buffer<ArrayBuffer>[] = [];
  for (let at = 0; at < items.length; at += SLICE) {
    const lines = items.slice(at, at + SLICE).map((item) => `${JSON.stringify(lineOf(item))}\n`);
    pieces.push(Buffer.from(lines.join("")));
    await yieldToLoop();
  }
  return pieces;
}

/** The longest line that is parsed. A vector of 4,000 numbers takes less than 100 KB. */
const MAX_LINE_CHARS = 1_000_000;

/**
 * Yields the values of a stream of JSON lines. Skips a line that is too long or not JSON. Holds at
 * most one line in memory.
 *
 * @throws the error of reading the stream
 */
export async function* jsonLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<unknown> {
  if (!body) return;
  let line = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const pieces = part.split("\n");
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield* parse(line);
        line = "";
      }
      if (line.length <= MAX_LINE_CHARS) line += piece;
    }
  }
  yield* parse(line);
}

function* parse(line: string): Generator<unknown> {
  if (line.length > MAX_LINE_CHARS || line.trim() === "") return;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return;
  }
  yield value;
}
