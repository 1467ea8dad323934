/**
 * Returns the text of bytes in the encoding that their sender names, or that their byte order mark
 * names, or in UTF-8, or else in the encoding of Western Windows, in which spreadsheets save.
 */
export function decodeText(bytes: Uint8Array, charset?: string): string {
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : undefined;
  for (const encoding of [mark, charset, "utf-8"]) {
    if (encoding === undefined) continue;
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // An unknown encoding, or bytes that are not in it.
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}
