import { AppError } from "../../../base/errors.ts";
import { readLines as readFileLines } from "../../../cli/shell/read-lines.ts";

export interface Line {
  /** The number of the line, from 1. */
  number: number;
  text: string;
}

/**
 * Yields the lines of a UTF-8 file without their ends, one at a time: a corpus may be larger than
 * memory.
 *
 * @throws AppError `invalid_request` when a line is longer than `maxBytes` or not UTF-8
 */
export async function* readLines(path: string, name: string, maxBytes: number): AsyncGenerator<Line> {
  for await (const { number, text, problem } of readFileLines(path, { offset: 0, line: 0 }, maxBytes)) {
    if (text === undefined) throw new AppError("invalid_request", `${name} line ${number}: ${problem}; mend the file.`);
    yield { number, text: text.replace(/\r$/, "") };
  }
}
