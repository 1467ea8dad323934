import { createReadStream } from "node:fs";
import { AppError } from "../../base/errors.ts";

export interface Line {
  /** From 1. */
  number: number;
  text: string;
}

const NEWLINE = 0x0a;

/**
 * The lines of a UTF-8 file, without their ends, one at a time: a corpus may be larger than memory, and `readline` would hold
 * a line of any length.
 *
 * @throws AppError `invalid_request` when a line is longer than `maxBytes` or not UTF-8
 */
export async function* readLines(path: string, name: string, maxBytes: number): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let parts: Buffer[] = [];
  let bytes = 0;
  const finish = (): Line => {
    number++;
    const whole = Buffer.concat(parts);
    parts = [];
    bytes = 0;
    try {
      return { number, text: decoder.decode(whole).replace(/\r$/, "") };
    } catch {
      throw new AppError("invalid_request", `${name} line ${number}: not UTF-8; save the file as UTF-8.`);
    }
  };
  const take = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
    if (bytes > maxBytes)
      throw new AppError("invalid_request", `${name} line ${number + 1}: longer than ${maxBytes} bytes; shorten it.`);
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    take(chunk.subarray(start));
  }
  if (bytes > 0) yield finish();
}
