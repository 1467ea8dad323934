import { createLogger, type Logger } from "../base/logger.ts";
import { logLines } from "../cli/shell/log-lines.ts";
import type { Config } from "../config/config.ts";
import { wantsColour } from "../config/wants-colour.ts";

/**
 * The log of a command that has the service in its own process: lines for a reader, on standard error, from warnings on unless
 * another level than the usual one is set.
 */
export function commandLogger(
  config: Pick<Config, "logLevel">,
  level: string = config.logLevel === "info" ? "warn" : config.logLevel,
): Logger {
  return createLogger(level, logLines(process.stderr, wantsColour(process.stderr)));
}
