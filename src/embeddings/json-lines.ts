import { setImmediate } from "node:timers/promises";

/** Values per slice: a few milliseconds of work. */
const SLICE = 200;

/** Values as JSON lines, in slices: thousands of texts at once would block the event loop. */
export async function toJsonLines<T>(items: readonly T[], lineOf: (item: T) => object): Promise<Buffer<ArrayBuffer>[]> {
  const pieces: Buffer<ArrayBuffer>[] = [];
  for (let at = 0; at < items.length; at += SLICE) {
    const lines = items.slice(at, at + SLICE).map((item) => `${JSON.stringify(lineOf(item))}\n`);
    pieces.push(Buffer.from(lines.join("")));
    await setImmediate();
  }
  return pieces;
}

/** A vector of 4,000 numbers is less than 100 KB. */
const MAX_LINE_CHARS = 1_000_000;

/**
 * The values of a stream of JSON lines. A line that is no JSON or too long is left out. At most one line is in memory.
 *
 * @throws what reading the stream throws
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
