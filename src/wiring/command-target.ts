import { AppError } from "../base/errors.ts";
import type { ConnectOptions } from "../cli/shell/context.ts";
import type { Config } from "../config/config.ts";
import { EMBEDDED, type Profile, type Profiles } from "../config/profiles.ts";

/** The server that a command talks to. */
export interface Target {
  url: string;
  key: string | undefined;
  /** The server's name for the user. */
  description: string;
  /** The name of the profile that named the server. */
  profile?: string;
  /** The variable of the environment that named the server; undefined if an option or a profile did. */
  variable?: "RECOLLECT_URL" | "RECOLLECT_PROFILE";
}

type TargetConfig = Pick<Config, "url" | "apiKey" | "profile" | "namesDatabase">;

/**
 * Returns the server that a command talks to; undefined for this machine's database. Options take
 * precedence over the environment, and the environment over the profile in use. The environment's
 * key takes precedence over the profile's, unless an option named the profile: then the key of the
 * environment may belong to another server.
 *
 * @throws AppError `config_invalid` for a profile that does not exist
 */
export function targetOf(options: ConnectOptions, config: TargetConfig, read: () => Profiles): Target | undefined {
  const { apiKey } = config;
  if (options.url !== undefined) return { url: options.url, key: apiKey, description: options.url };
  const byProfile = (name: string, keyOf: (profile: Profile) => string | undefined) => {
    if (name === EMBEDDED) return undefined;
    const profile = findProfile(read(), name);
    return { url: profile.url, key: keyOf(profile), description: `${name} (${profile.url})`, profile: name };
  };
  if (options.profile !== undefined) return byProfile(options.profile, (profile) => profile.key ?? apiKey);
  if (config.url !== undefined)
    return { url: config.url, key: apiKey, description: config.url, variable: "RECOLLECT_URL" };
  if (config.profile !== undefined) {
    const found = byProfile(config.profile, (profile) => apiKey ?? profile.key);
    return found && { ...found, variable: "RECOLLECT_PROFILE" };
  }
  if (config.namesDatabase) return undefined;
  const { current } = read();
  return current === undefined ? undefined : byProfile(current, (profile) => apiKey ?? profile.key);
}

/**
 * Returns the sentence for a user whose environment names both a server and a database: a script that
 * sets `DATABASE_URL` for a restored database would otherwise change the server without notice.
 *
 * @returns undefined if `DATABASE_URL` is not set, or an option or the profile in use chose the server
 */
export function databaseNotUsed(
  { variable, description }: Target,
  { databaseUrl }: Pick<Config, "databaseUrl">,
): string | undefined {
  if (variable === undefined || databaseUrl === undefined) return undefined;
  return `Uses the server at ${description} (${variable}); DATABASE_URL is not used.`;
}

/**
 * Returns the refusal of a command that cannot be undone, in an environment that names both a server
 * and a database.
 */
export function unclearTarget({ variable, url, profile }: Target): AppError {
  const server = profile === undefined ? `--url ${url}` : `--profile ${profile}`;
  return new AppError(
    "config_invalid",
    `${variable} and DATABASE_URL are both set, and this command cannot be undone. Add ${server} for the server or --profile embedded for the database, or unset one of the two.`,
  );
}

function findProfile({ profiles }: Profiles, name: string): Profile {
  const found = profiles.find((profile) => profile.name === name);
  if (found) return found;
  const known = profiles.length === 0 ? "There is none yet" : `There are ${profiles.map((one) => one.name).join(", ")}`;
  throw new AppError(
    "config_invalid",
    `There is no profile ${name}. ${known}; add it with \`recollect profile add ${name} --url <url>\`.`,
  );
}
