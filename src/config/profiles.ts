import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { AppError } from "../base/errors.ts";

/** The name that stands for no profile: the database of this machine. */
export const EMBEDDED = "embedded";

const PROFILE = z.object({ name: z.string().min(1), url: z.url(), key: z.string().optional() });
const FILE = z.object({ current: z.string().optional(), profiles: z.array(PROFILE).max(1000) });

/** A server by a name of the user's, with the key to present to it. */
export type Profile = z.infer<typeof PROFILE>;

/** The user's servers, and which of them commands talk to when nothing else is said. */
export type Profiles = z.infer<typeof FILE>;

/** Where profiles are kept. */
export interface ProfileStore {
  readonly file: string;
  /** @throws AppError `config_invalid` when the file is none of ours */
  read(): Profiles;
  write(profiles: Profiles): void;
}

/** The profiles in `~/.recollect/profiles.json`, which nobody but the user may read: it holds keys. */
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
  try {
    return FILE.parse(JSON.parse(text));
  } catch {
    // Without the cause, which would quote keys.
    throw new AppError("config_invalid", `${file} is not a valid profiles file; fix it, or delete it and start again.`);
  }
}

function writeProfiles(file: string, profiles: Profiles): void {
  const next = `${file}.${process.pid}`;
  let isBegun = false;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A new file each time: the mode of one that is there already would stay as it was, and a kill leaves the old one whole.
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
