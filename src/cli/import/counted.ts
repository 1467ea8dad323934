/** The same bytes, while somebody counts them. */
export async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  advance: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const slice of bytes) {
    advance(slice.length);
    yield slice;
  }
}
