import { type Logger as PinoLogger, pino } from "pino";

/** Structured logger. Never log file contents, queries, keys or connection strings: log ids, counts and codes. */
export type Logger = Pick<PinoLogger, "debug" | "info" | "warn" | "error">;

/** A JSON logger on standard error, so that a command's standard output stays parseable. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
