import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import type { RawConfigFile } from "../config/config-files.ts";
import { type ConfigFile, parseConfigFile } from "../settings/config-file.ts";
import { extraPathProblems, foldersOf, isWithin, parseExtraPathRoots } from "../settings/extra-paths.ts";
import { type Ignored, sentenceOf } from "../settings/ignored.ts";
import { absolutePathProblem } from "../settings/memory-path.ts";
import { type ServiceDefaults, serviceDefaults } from "../settings/service-defaults.ts";
import type { SettingsPatch } from "../settings/settings-schema.ts";

/**
 * Reads the settings of the operator's config files and environment. Logs a warning for settings
 * that have no effect in Recollect.
 *
 * @throws AppError `config_invalid`, naming the file and the path in it
 */
export function readDefaults(
  config: Pick<Config, "files" | "embedding" | "extraPathRoots" | "allowedModels">,
  logger: Pick<Logger, "warn">,
): ServiceDefaults {
  const files = config.files.map((one) => ({ origin: one.origin, path: one.path, file: parse(one) }));
  const defaults = serviceDefaults(
    [...files, { origin: "environment", file: environmentLayer(config) }],
    config.allowedModels,
  );
  const outside = files.flatMap(({ path, file }) =>
    [file.defaults, ...file.agents.map((agent) => agent.settings)].flatMap((settings) =>
      outsideRoots(settings, defaults.extraPathRoots).map((one) => ({ ...one, file: path })),
    ),
  );
  const ignored = [...defaults.ignored, ...outside];
  for (const { path } of files) {
    const ofFile = ignored.filter(({ file }) => file === path).map(sentenceOf);
    if (ofFile.length > 0) logger.warn({ path, ignored: ofFile }, "settings of a config file have no effect");
  }
  return { ...defaults, ignored };
}

/**
 * Returns the folders of a file's settings that no root covers, with the root that is missing. A
 * pasted OpenClaw file names folders of the machine that it was written for.
 */
function outsideRoots(settings: SettingsPatch, roots: readonly string[]): Ignored[] {
  return foldersOf(settings).flatMap((folder, index) => {
    const at = `memorySearch.extraPaths[${index}]`;
    const entry = settings.extraPaths?.[index] ?? folder;
    const [problem] = extraPathProblems({ extraPaths: [entry] }, roots, "memorySearch");
    if (problem === undefined) return [];
    const isAbsolute = absolutePathProblem(folder) === undefined;
    const missing = isAbsolute && !roots.some((root) => isWithin(folder, root));
    const why = missing
      ? `is left out: ${folder} is in no folder that the operator allows; add it, or a folder above it, to extraPathRoots in this file or to RECOLLECT_EXTRA_PATH_ROOTS`
      : `is left out: it ${problem.slice(problem.indexOf(": ") + 2)}`;
    return [{ at, why }];
  });
}

/**
 * Makes a layer of the environment's variables about settings. It is the strongest of the
 * operator's layers.
 */
function environmentLayer({ embedding, extraPathRoots }: Pick<Config, "embedding" | "extraPathRoots">): ConfigFile {
  const { provider, model, baseUrl, former, outputDimensionality } = embedding;
  const remote = {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(former.baseUrl === undefined ? {} : { former: { baseUrl: former.baseUrl } }),
  };
  const defaults: SettingsPatch = {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(outputDimensionality === undefined ? {} : { outputDimensionality }),
    ...(Object.keys(remote).length === 0 ? {} : { remote }),
  };
  const roots = extraPathRoots && environmentRoots(extraPathRoots);
  const limits = { agent: {}, tenant: {} };
  return { defaults, agents: [], bindings: [], limits, extraPathRoots: roots, ignored: [] };
}

function environmentRoots(roots: readonly string[]): string[] {
  try {
    return parseExtraPathRoots(roots, "RECOLLECT_EXTRA_PATH_ROOTS");
  } catch (cause) {
    throw new AppError("config_invalid", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function isBelow(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}[`);
}

function parse({ path, value, missing }: RawConfigFile): ConfigFile {
  try {
    const file = parseConfigFile(value);
    // An unset variable matters only in a part that is used: a pasted OpenClaw file refers to
    // tokens of channels, which Recollect ignores.
    const lacking = missing.find(({ at }) => !file.ignored.some((part) => isBelow(at, part.at)));
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
