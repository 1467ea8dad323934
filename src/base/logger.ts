import { type Logger as PinoLogger, pino } from "pino";
import { contextIds } from "./request-context.ts";

/** Structured logger. Never log file contents, queries, keys or connection strings: log ids, counts and codes. */
export type Logger = Pick<PinoLogger, "debug" | "info" | "warn" | "error">;

/**
 * A JSON logger on standard error, so that a command's standard output stays parseable. Each line has the ids of the request or
 * job that it is about.
 *
 * @param destination where the lines go instead, for tests
 */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin: contextIds },
    destination ?? pino.destination({ dest: 2, sync: true }),
  );
}
