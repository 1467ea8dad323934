import { hash } from "node:crypto";
import { AppError } from "../base/errors.ts";

// ignoreBOM keeps the byte order mark in the string: the content hash must be that of the bytes that were sent.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Bytes to text, strictly: bytes that are not UTF-8 are an error, never replaced. A byte order mark is kept.
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
 * The one definition of a line, shared by chunk ranges and memory_get: one leading byte order mark is dropped, CRLF, LF
 * and a lone CR each end a line, a newline at the end makes no extra empty line, and "" has no lines. A lone surrogate
 * (JSON may carry one, UTF-8 and Postgres cannot) reads as U+FFFD, which has the same length. NUL is left alone: the
 * caller refuses it before it gets here.
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

/** SHA-256, in hex, of the UTF-8 bytes of `content` exactly as given (byte order mark and line ends included). */
export function contentHash(content: string): string {
  return hash("sha256", content, "hex");
}
