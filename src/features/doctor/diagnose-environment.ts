import type { Config } from "../../config/config.ts";
import type { ServiceDefaults } from "../../settings/service-defaults.ts";
import { resolveSettings } from "../../settings/settings.ts";
import { embeddingWarningsOf } from "../../wiring/open-embedder.ts";
import { diagnoseConfiguration } from "./diagnose-configuration.ts";
import { diagnoseDisk, diagnoseExports, diagnoseModel, freeBytesOf } from "./diagnose-machine.ts";
import { type Finding, ok, warning } from "./finding.ts";

const MOST_NAMED = 20;

/** Returns a finding for each variable whose name is misspelt, and one for the other names without effect. */
export function diagnoseVariables({ misspelt, foreign }: Pick<Config, "misspelt" | "foreign">): Finding[] {
  return [
    ...misspelt.map((sentence) => warning("configuration", sentence, "Correct or remove it.")),
    ...(foreign.length === 0
      ? []
      : [
          ok(
            "configuration",
            `Not variables of Recollect, and left alone: ${foreign.slice(0, MOST_NAMED).join(", ")}.`,
          ),
        ]),
  ];
}

/** Returns a finding for a warning that a start logs about the settings of the provider. */
export function warningOfStart(text: string): Finding {
  return warning("configuration", text, "Every start logs this warning too.");
}

/**
 * Checks the configuration and the machine of this process, whether it is a command or a server:
 * variables, config files, address of the provider, models, disks and the folder for archives.
 */
export async function diagnoseEnvironment(
  config: Config,
  { ignored, layers }: Pick<ServiceDefaults, "ignored" | "layers">,
  freeBytes = freeBytesOf,
): Promise<Finding[]> {
  const { settings } = resolveSettings(layers);
  return [
    ...diagnoseVariables(config),
    ...diagnoseConfiguration(ignored),
    ...embeddingWarningsOf(config, settings).map(warningOfStart),
    diagnoseModel(config.modelsDir),
    ...(config.databaseUrl === undefined
      ? [await diagnoseDisk("the embedded database", config.dataDir, freeBytes)]
      : []),
    await diagnoseDisk("the cache of files that can be rebuilt", config.cacheDir, freeBytes),
    ...(await diagnoseExports(config.exports?.folder)),
  ];
}
