import { AppError } from "../base/errors.ts";
import { expandHome } from "../base/expand-home.ts";

/** What a command has to know of the environment to find the memory that it is for. */
export interface CommandConfig {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly profile: string | undefined;
  /** Whether the environment says which database this machine's is; then the profile in use is not meant. */
  readonly namesDatabase: boolean;
}

/** What a header can carry of a key, and what is said of others. */
export const KEY_TEXT = /^[!-~]+$/;
export const KEY_RULE = "has characters that are not allowed in a key";

/**
 * Reads of the environment what leads a command to its server, as `readConfig` does: without the schema of all variables, whose
 * library takes longer to load than all else that such a command does.
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

/** @param problems each a variable and what is wrong with it, never its value: that may hold a password */
export function invalidEnvironment(problems: readonly string[]): AppError {
  return new AppError("config_invalid", `The environment is not valid. ${problems.join("; ")}.`);
}
