import { joinBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { type JsonProblem, readJson } from "../../base/json-text.ts";
import { workerFile } from "../../base/worker-file.ts";
import { MAX_INLINE_BYTES, type ParseThreads } from "../../service/core/parse-threads.ts";

export type ParsedLine = { readonly value: unknown } | { readonly problem: JsonProblem };

/** Parses a line of an archive. */
export type LineParser = (parts: readonly Uint8Array[], number: number) => Promise<unknown>;

const WORKER = workerFile("parse-line.worker", import.meta.url);

/**
 * @returns a parser that throws AppError `archive_invalid` for a line that is not JSON or cannot be
 *   stored
 */
export function createLineParser(threads: ParseThreads, tenantId: string): LineParser {
  return async (parts, number) => {
    const bytes = joinBytes(parts);
    const line =
      bytes.length > MAX_INLINE_BYTES ? await threads.run<ParsedLine>(WORKER, { bytes }, tenantId) : readJson(bytes);
    if ("value" in line) return line.value;
    throw invalid(PROBLEMS[line.problem](number));
  };
}

const unreadable = (number: number) => `has a line ${number} that is not JSON in UTF-8`;
const unstorable = (number: number) => `has a line ${number} with a character that text cannot hold`;
const PROBLEMS: Record<JsonProblem, (number: number) => string> = {
  encoding: unreadable,
  syntax: unreadable,
  nul: unstorable,
  surrogate: unstorable,
  proto: (number) => `has a line ${number} with the key __proto__, which is not allowed`,
};

export function invalid(problem: string, cause?: unknown): AppError {
  return new AppError("archive_invalid", `The archive ${problem}.`, cause === undefined ? {} : { cause });
}
