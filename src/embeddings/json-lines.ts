/** A vector of 4,000 numbers is less than 100 KB. */
const MAX_LINE_CHARS = 1_000_000;

/**
 * The values of a stream of JSON lines, as they come; a line that is no JSON, or longer than any that we want, is left out.
 * Of the stream no more than a line is held.
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
