import { type Logger as PinoLogger, pino } from "pino";
import { contextIds } from "./request-context.ts";

/**
 * A structured logger. Log ids, counts and codes; never log file contents, queries, keys or
 * connection strings.
 */
export type Logger = Pick<PinoLogger, "debug" | "info" | "warn" | "error">;

/**
 * Creates a JSON logger on standard error, so that a command's standard output stays parseable.
 * Each line has the ids of the request or job that it belongs to.
 *
 * @param destination receives the lines instead, for tests
 */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin: contextIds, serializers: { err } },
    destination ?? pino.destination({ dest: 2, sync: true }),
  );
}

/** Serialises an error. A described error (`describeFault`) stays unchanged, because pino would replace its type by "Object". */
function err(error: unknown): unknown {
  return error instanceof Error ? pino.stdSerializers.err(error) : error;
}
