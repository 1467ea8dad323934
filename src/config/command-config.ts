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

const ENCODE = "percent-encode # (%23), / (%2F) and ? (%3F) in the password";

/**
 * Returns what is wrong with the URL of a Postgres server; undefined if nothing is. An empty URL is
 * refused, because a secret that is missing would otherwise lead to an embedded, empty database. A password with
 * `#`, `/` or `?` ends the server's part of the URL, and its beginning is then read as a port. The
 * answer quotes nothing of the URL, which has the password.
 */
export function postgresUrlProblem(text: string): string | undefined {
  if (text.trim() === "") return "is empty; set it to postgres://…, or unset it to use an embedded database";
  if (!/^postgres(ql)?:\/\//.test(text)) return "must begin with postgres://";
  // With a user and no host, pg connects to a socket.
  const withHost = text.replace("@/", "@localhost/");
  if (!URL.canParse(withHost)) return `is no valid URL; ${ENCODE}`;
  const { username, pathname, search, hash } = new URL(withHost);
  const isCut = hash !== "" || (username === "" && (pathname.includes("@") || /^\?[^=]*@/.test(search)));
  return isCut ? `cannot be read beyond a special character; ${ENCODE}` : undefined;
}

/**
 * Returns what is wrong with the address of a server; undefined if nothing is. `fetch` refuses an
 * address with a password, with an error that quotes it.
 */
export function httpUrlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return "Invalid URL; it must begin with http:// or https://";
  return url.username === "" && url.password === "" ? undefined : "must not contain a user or a password";
}

/**
 * Reads the variables that lead a command to its server, with the same results as `readConfig`. It
 * does not use the schema of all variables, because its library takes longer to load than the whole
 * rest of such a command.
 *
 * @throws AppError `config_invalid`, naming each bad variable but never its value
 */
export function readCommandConfig(env: Readonly<Record<string, string | undefined>> = process.env): CommandConfig {
  const given = (name: string) => env[name] || undefined;
  const url = given("RECOLLECT_URL");
  const databaseUrl = env.DATABASE_URL;
  // A key that is read from a file often ends with a newline.
  const apiKey = given("RECOLLECT_API_KEY")?.trim() || undefined;
  const problems = [
    ...problemsOf("DATABASE_URL", databaseUrl, postgresUrlProblem),
    ...(apiKey === undefined || KEY_TEXT.test(apiKey) ? [] : [`RECOLLECT_API_KEY: ${KEY_RULE}`]),
    ...problemsOf("RECOLLECT_URL", url, httpUrlProblem),
  ];
  if (problems.length > 0) throw invalidEnvironment(problems);
  const dataDir = expandHome(given("RECOLLECT_DATA_DIR") ?? ".recollect", env.HOME ?? env.USERPROFILE);
  const namesDatabase = databaseUrl !== undefined || given("RECOLLECT_DATA_DIR") !== undefined;
  return { databaseUrl, dataDir, url, apiKey, profile: given("RECOLLECT_PROFILE"), namesDatabase };
}

function problemsOf(
  name: string,
  value: string | undefined,
  problemOf: (text: string) => string | undefined,
): string[] {
  const problem = value === undefined ? undefined : problemOf(value);
  return problem === undefined ? [] : [`${name}: ${problem}`];
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
  const text = problems.join("; ");
  return new AppError("config_invalid", `The environment is not valid. ${text}${/[.?]$/.test(text) ? "" : "."}`);
}
