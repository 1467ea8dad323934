/** Yields the same bytes, and reports the length of each slice to `advance`. */
export async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  advance: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const slice of bytes) {
    advance(slice.length);
    yield slice;
  }
}
