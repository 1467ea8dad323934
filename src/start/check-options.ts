import { isObject } from "../base/objects.ts";
import { plainProblem } from "../base/plain-problem.ts";
import { didYouMean } from "../base/text/nearest.ts";
import { RecollectError } from "../client/recollect-error.ts";
import { environmentSchema } from "../config/environment.ts";
import { foreignOptions, misspeltVariables } from "../config/misspelt-variables.ts";
import type { RecollectOptions } from "./recollect-options.ts";

/** The options that stand for a variable. */
const VARIABLES = {
  dataDir: "RECOLLECT_DATA_DIR",
  databaseUrl: "DATABASE_URL",
  provider: "RECOLLECT_PROVIDER",
  log: "RECOLLECT_LOG_LEVEL",
} as const satisfies Partial<Record<keyof RecollectOptions, keyof typeof environmentSchema.shape>>;

/** Returns the variables that the options stand for. */
export function variablesOf(options: RecollectOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([option, variable]) => {
      const value = options[option as keyof typeof VARIABLES];
      return value === undefined ? [] : [[variable, value]];
    }),
  );
}

/**
 * Checks what a caller without TypeScript may get wrong. An ignored option could lose data: without
 * `dataDir` the database is in memory.
 *
 * @throws RecollectError `config_invalid`, naming each wrong option but never its value, which may be a
 *   password
 */
export function checkOptions(options: RecollectOptions): void {
  requireKnown(options, [...Object.keys(VARIABLES), "waitForModel", "env"]);
  const ofVariables = Object.entries(VARIABLES).flatMap(([option, variable]) => {
    const value: unknown = options[option as keyof typeof VARIABLES];
    if (value === undefined) return [];
    if (value === "") return [`${option}: must not be empty`];
    const { error } = environmentSchema.shape[variable].safeParse(value);
    return (error?.issues ?? []).map(({ message }) => `${option}: ${plainProblem(message)}`);
  });
  const { waitForModel }: { waitForModel?: unknown } = options;
  const isSwitch = waitForModel === undefined || typeof waitForModel === "boolean";
  const problems = [...ofVariables, ...(isSwitch ? [] : ["waitForModel: must be true or false"])];
  if (problems.length > 0) throw invalidOptions(problems);
  checkVariables(options.env);
}

/**
 * Checks the option `env`.
 *
 * @throws RecollectError `config_invalid` if it is no object, or Recollect has no variable of a name in it
 */
export function checkVariables(env: RecollectOptions["env"]): void {
  if (env === undefined) return;
  if (!isObject(env)) throw invalidOptions(["env: must be an object of variables"]);
  const [unknown] = foreignOptions(env);
  const [problem = unknown && `There is no variable ${unknown}.`] = misspeltVariables(env);
  if (problem !== undefined)
    throw new RecollectError("config_invalid", `The options are not valid. env: ${problem}`, {});
}

/** @throws RecollectError `config_invalid` unless `options` is an object with no other properties than these */
export function requireKnown(options: unknown, names: readonly string[]): void {
  if (!isObject(options)) {
    const message = `The options must be an object with some of the properties ${names.join(", ")}.`;
    throw new RecollectError("config_invalid", message, {});
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new RecollectError("config_invalid", `There is no option ${unknown}.${didYouMean(unknown, names)}`, {});
}

function invalidOptions(problems: readonly string[]): RecollectError {
  return new RecollectError("config_invalid", `The options are not valid. ${problems.join("; ")}.`, {});
}
