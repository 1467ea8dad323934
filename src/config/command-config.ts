import { AppError } from "../base/errors.ts";
import { expandHome } from "../base/expand-home.ts";

/** The part of the environment that a command needs to find its memory. */
export interface CommandConfig {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly profile: string | undefined;
  /**
   * Whether the environment names this machine's database. If it does, the profile in use is
   * ignored.
   */
  readonly namesDatabase: boolean;
}

/**
 * The characters that a header can carry in a key (`KEY_TEXT`), and the complaint about other
 * characters (`KEY_RULE`).
 */
export const KEY_TEXT = /^[!-~]+$/;
export const KEY_RULE = "has characters that are not allowed in a key";

/**
 * Reads the variables that lead a command to its server, with the same results as `readConfig`. It
 * does not use the schema of all variables, because its library takes longer to load than the whole
 * rest of such a command.
 *
 * @throws AppError `config_invalid`, naming each bad variable but never its value
 */
export function readCommandConfig(env: Readonly<Record<string, string | undefined>> = process.env): CommandConfig {
  const given = (name: string) => env[name] || undefined;
  const [url, apiKey, databaseUrl] = [given("RECOLLECT_URL"), given("RECOLLECT_API_KEY"), given("DATABASE_URL")];
  const problems = [
    ...(apiKey === undefined || KEY_TEXT.test(apiKey) ? [] : [`RECOLLECT_API_KEY: ${KEY_RULE}`]),
    ...(url === undefined || URL.canParse(url) ? [] : ["RECOLLECT_URL: Invalid URL"]),
  ];
  if (problems.length > 0) throw invalidEnvironment(problems);
  const dataDir = expandHome(given("RECOLLECT_DATA_DIR") ?? ".recollect", env.HOME ?? env.USERPROFILE);
  const namesDatabase = databaseUrl !== undefined || given("RECOLLECT_DATA_DIR") !== undefined;
  return { databaseUrl, dataDir, url, apiKey, profile: given("RECOLLECT_PROFILE"), namesDatabase };
}

/** Returns the features to switch off, as the operator wrote them. */
export function switchedOffFeatures(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  return env.RECOLLECT_FEATURES || undefined;
}

/**
 * Returns the error for a bad environment.
 *
 * @param problems each names a variable and what is wrong with it, but never its value, which may
 *   be a password
 */
export function invalidEnvironment(problems: readonly string[]): AppError {
  return new AppError("config_invalid", `The environment is not valid. ${problems.join("; ")}.`);
}
