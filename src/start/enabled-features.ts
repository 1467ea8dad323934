import { AppError } from "../base/errors.ts";
import { nearest } from "../base/text/nearest.ts";
import type { AddCommands } from "../cli/build-program.ts";
import { invalidEnvironment, switchedOffFeatures } from "../config/command-config.ts";
import type { Feature } from "../features/feature.ts";
import { FEATURES } from "../features.ts";
import { nameSwitchedOff } from "./switched-off-commands.ts";

/**
 * Returns the features that are not switched off.
 *
 * @param setting the value of RECOLLECT_FEATURES: `-branches,-sharing` switches two features off,
 *   `none` switches off all of them
 * @throws AppError `config_invalid` for an unknown feature, and for a feature that another one
 *   requires
 */
export function enabledFeatures(setting: string | undefined, all: readonly Feature[] = FEATURES): Feature[] {
  const words = (setting ?? "").split(",").map((word) => word.trim());
  const given = words.filter((word) => word !== "");
  if (given.includes("none") && given.length === 1) return [];
  const names = all.map(({ name }) => name);
  const unknown = given.find((word) => !word.startsWith("-") || !names.includes(word.slice(1)));
  if (unknown !== undefined) {
    const meant = nearest(unknown.replace(/^-/, ""), given.length === 1 ? [...names, "none"] : names);
    const question = meant === undefined ? "" : ` Did you mean ${meant === "none" ? meant : `-${meant}`}?`;
    throw invalidEnvironment([
      `RECOLLECT_FEATURES: “${unknown.slice(0, 40)}” does not switch a feature off; write -name with one of ${names.join(", ")}, or none.${question}`,
    ]);
  }
  const off = new Set(given.map((word) => word.slice(1)));
  const enabled = all.filter(({ name }) => !off.has(name));
  for (const { name, requires = [] } of enabled) {
    const missing = requires.find((required) => off.has(required));
    if (missing !== undefined)
      throw invalidEnvironment([
        `RECOLLECT_FEATURES: the feature ${name} needs ${missing}; switch it off too (-${name}), or keep ${missing}`,
      ]);
  }
  return enabled;
}

/**
 * Returns the functions that add the features' commands to the command line. With a wrong setting
 * all commands are there, so that help and the doctor can be used.
 *
 * @param warn takes the sentence about a wrong setting
 */
export function commandsOfFeatures(
  setting = switchedOffFeatures(),
  warn: (text: string) => void = () => undefined,
): AddCommands[] {
  let enabled: readonly Feature[] = FEATURES;
  try {
    enabled = enabledFeatures(setting);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    warn(`${error.message} Until then every command is shown.\n`);
  }
  const off = FEATURES.filter((one) => !enabled.includes(one));
  return [
    ...enabled.flatMap(({ addCommands }) => addCommands ?? []),
    ...(off.length > 0 ? [nameSwitchedOff(off)] : []),
  ];
}
