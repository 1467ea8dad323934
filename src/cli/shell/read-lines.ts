import { open } from "node:fs/promises";

/** How far a file has been read: the number of bytes, and the number of line ends in them. */
export interface FileCursor {
  offset: number;
  line: number;
}

/** The position before the first line. */
export const START: FileCursor = { offset: 0, line: 0 };

export interface FileLine {
  /** The number of the line, from 1. */
  number: number;
  /** The text; undefined if the line is too long or not UTF-8. */
  text: string | undefined;
  problem?: string;
  /**
   * Whether the line has a line end. The last line of a file that is still being written may have
   * none.
   */
  isWhole: boolean;
  /** The position after the line. */
  cursor: FileCursor;
}

const SLICE_BYTES = 1 << 18;
const MOST_LINE_BYTES = 16_000_000;
const NEWLINE = 0x0a;

/**
 * Reads the lines of a file from a cursor on, slice by slice. A file of any size takes only the
 * memory of its longest line, and at most `maxBytes`.
 */
export async function* readLines(path: string, from: FileCursor, maxBytes = MOST_LINE_BYTES): AsyncGenerator<FileLine> {
  const file = await open(path, "r");
  try {
    const slice = Buffer.allocUnsafe(SLICE_BYTES);
    let { offset, line } = from;
    let parts: Buffer[] = [];
    let length = 0;
    for (let position = offset; ; ) {
      const { bytesRead } = await file.read(slice, 0, SLICE_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      let start = 0;
      for (let end = slice.indexOf(NEWLINE); end !== -1 && end < bytesRead; end = slice.indexOf(NEWLINE, start)) {
        length += end - start;
        if (length <= maxBytes) parts.push(slice.subarray(start, end));
        offset += length + 1;
        line++;
        yield { ...decode(parts, length, maxBytes), number: line, isWhole: true, cursor: { offset, line } };
        [parts, length, start] = [[], 0, end + 1];
      }
      length += bytesRead - start;
      // The next read overwrites the slice, so its rest is copied. A line that is too long is only
      // counted.
      if (length <= maxBytes) parts.push(Buffer.from(slice.subarray(start, bytesRead)));
      else parts = [];
    }
    if (length > 0)
      yield {
        ...decode(parts, length, maxBytes),
        number: line + 1,
        isWhole: false,
        cursor: { offset: offset + length, line },
      };
  } finally {
    await file.close();
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(
  parts: readonly Buffer[],
  length: number,
  maxBytes: number,
): { text: string | undefined; problem?: string } {
  if (length > maxBytes) return { text: undefined, problem: `longer than ${maxBytes} bytes` };
  try {
    return { text: utf8.decode(Buffer.concat(parts)) };
  } catch {
    return { text: undefined, problem: "not valid UTF-8" };
  }
}
