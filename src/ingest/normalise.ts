import { hash } from "node:crypto";
import { AppError } from "../base/errors.ts";

// ignoreBOM keeps the byte order mark in the string, because the content hash must be the hash of
// the bytes that were sent.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes bytes strictly: bytes that are not UTF-8 are an error and are never replaced. Keeps a
 * byte order mark.
 * @throws AppError `invalid_encoding`
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError(
      "invalid_encoding",
      "The content is not valid UTF-8. Convert the file to UTF-8 and send it again.",
      {
        cause,
      },
    );
  }
}

/**
 * Splits content into lines. This is the only definition of a line, shared by chunk ranges and
 * memory_get. One leading byte order mark is dropped; CRLF, LF and a lone CR each end a line; a
 * newline at the end makes no extra empty line; "" has no lines. A lone surrogate (allowed in JSON,
 * but not in UTF-8 and Postgres) becomes U+FFFD, which has the same length. NUL stays: the caller
 * refuses it before this function runs.
 */
export function toLines(content: string): string[] {
  const text = (content.startsWith("\uFEFF") ? content.slice(1) : content).toWellFormed();
  if (text === "") {
    return [];
  }
  const lines = text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");
  if (lines.at(-1) === "") {
    lines.pop();
  }
  return lines;
}

/**
 * Returns the SHA-256, in hex, of the UTF-8 bytes of `content` exactly as given (byte order mark
 * and line ends included).
 */
export function contentHash(content: string): string {
  return hash("sha256", content, "hex");
}
