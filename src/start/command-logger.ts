import { createLogger, type Logger } from "../base/logger.ts";
import { logLines } from "../cli/shell/log-lines.ts";
import type { Config } from "../config/config.ts";
import { wantsColour } from "../config/wants-colour.ts";

/**
 * Creates the log of a command that runs the service in its own process: readable lines on standard
 * error, from warnings on unless the configuration sets a level other than the default.
 */
export function commandLogger(
  config: Pick<Config, "logLevel">,
  level: string = config.logLevel === "info" ? "warn" : config.logLevel,
): Logger {
  return createLogger(level, logLines(process.stderr, wantsColour(process.stderr)));
}
