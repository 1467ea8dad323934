import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../base/errors.ts";
import { makeFolder } from "../base/make-folder.ts";
import { isObject } from "../base/objects.ts";

/** The name that means no profile, but the database of this machine. */
export const EMBEDDED = "embedded";

const MAX_PROFILES = 1000;

/** A server under a name that the user chose, with the key to present to it. */
export interface Profile {
  name: string;
  url: string;
  key?: string | undefined;
}

/** The user's servers, and the name of the server that commands use by default. */
export interface Profiles {
  current?: string | undefined;
  profiles: Profile[];
}

/** The store of profiles. */
export interface ProfileStore {
  readonly file: string;
  /**
   * Reads the profiles.
   *
   * @throws AppError `config_invalid` when the file is not a valid profiles file
   */
  read(): Profiles;
  write(profiles: Profiles): void;
}

/**
 * Opens the profiles in `~/.recollect/profiles.json`. Only the user may read this file, because it
 * holds keys.
 */
export function openProfiles(env: Readonly<Record<string, string | undefined>> = process.env): ProfileStore {
  const home = env.HOME ?? env.USERPROFILE;
  const file = join(home ?? "", ".recollect", "profiles.json");
  return {
    file,
    read: () => (home === undefined ? { profiles: [] } : readProfiles(file)),
    write: (profiles) => {
      if (home === undefined) throw new AppError("config_invalid", "HOME is not set, so profiles have no folder.");
      writeProfiles(file, profiles);
    },
  };
}

function readProfiles(file: string): Profiles {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")) return { profiles: [] };
    throw new AppError("config_invalid", `${file} cannot be read; check its permissions.`, { cause });
  }
  const found = parse(text);
  if (isProfiles(found)) return found;
  // The cause is left out, because it would quote keys.
  throw new AppError("config_invalid", `${file} is not a valid profiles file; fix it, or delete it and start again.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Checks the profiles without a library for schemas: every command for a server reads this file,
 * and such a library takes longer to load than the rest of the command.
 */
function isProfiles(value: unknown): value is Profiles {
  if (!isObject(value) || !isTextOrNone(value.current) || !Array.isArray(value.profiles)) return false;
  return value.profiles.length <= MAX_PROFILES && value.profiles.every(isProfile);
}

function isProfile(value: unknown): value is Profile {
  if (!isObject(value) || typeof value.name !== "string" || typeof value.url !== "string") return false;
  return value.name !== "" && URL.canParse(value.url) && isTextOrNone(value.key);
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function writeProfiles(file: string, profiles: Profiles): void {
  const next = `${file}.${process.pid}`;
  let isBegun = false;
  try {
    makeFolder(dirname(file), 0o700);
    // Each write makes a new file. An existing file would keep its mode, and a killed process
    // leaves the old file whole.
    writeFileSync(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    isBegun = true;
    chmodSync(next, 0o600);
    renameSync(next, file);
  } catch (cause) {
    if (isBegun) rmSync(next, { force: true });
    throw new AppError("config_invalid", `${file} cannot be written; check the folder's permissions and the disk.`, {
      cause,
    });
  }
}
