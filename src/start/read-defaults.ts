import { type ConfigFile, parseConfigFile } from "../agents/config-file.ts";
import { type ServiceDefaults, serviceDefaults } from "../agents/service-defaults.ts";
import type { SettingsPatch } from "../agents/settings-schema.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import type { RawConfigFile } from "../config/config-files.ts";

/**
 * What the operator's config files and environment say; what they say and Recollect does not do is a warning.
 *
 * @throws AppError `config_invalid`, naming the file and the path in it
 */
export function readDefaults(
  config: Pick<Config, "files" | "embedding">,
  logger: Pick<Logger, "warn">,
): ServiceDefaults {
  const files = config.files.map((one) => ({ origin: one.origin, path: one.path, file: parse(one) }));
  for (const { path, file } of files)
    if (file.ignored.length > 0) logger.warn({ path, ignored: file.ignored }, "parts of a config file have no effect");
  return serviceDefaults([...files, { origin: "environment", file: environmentLayer(config.embedding) }]);
}

/** The variables about embedding are a layer too: the strongest of the operator's. */
function environmentLayer({ provider, model, baseUrl, outputDimensionality }: Config["embedding"]): ConfigFile {
  const defaults: SettingsPatch = {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(outputDimensionality === undefined ? {} : { outputDimensionality }),
    ...(baseUrl === undefined ? {} : { remote: { baseUrl } }),
  };
  return { defaults, agents: [], bindings: [], limits: { agent: {}, tenant: {} }, ignored: [] };
}

function parse({ path, value, missing }: RawConfigFile): ConfigFile {
  try {
    const file = parseConfigFile(value);
    // Only where it counts: a pasted OpenClaw file refers to the tokens of channels that are none of our business.
    const lacking = missing.find(({ at }) => !file.ignored.some((part) => at === part || at.startsWith(`${part}.`)));
    if (!lacking) return file;
    throw new AppError(
      "config_invalid",
      `${lacking.at} refers to ${lacking.name}, which is not set in the environment.`,
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("config_invalid", `${path}: ${error.message}`, { cause: error });
  }
}
