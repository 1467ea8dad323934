import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../base/errors.ts";
import { type Config, readConfig } from "../config/config.ts";
import { hasDatabase } from "../db/database-folder.ts";
import { knownDataFolders } from "./data-folders.ts";
import { serverAt } from "./server-at.ts";

/** The name of the folder that the commands of a folder use by default. */
const DEFAULT_FOLDER = ".recollect";
const MOST_NAMED = 3;
const MAX_ENV_BYTES = 100_000;

/** The variables by which a file of variables leads to a memory. */
const LEADING =
  /^[ \t]*(?:export[ \t]+)?(RECOLLECT_DATA_DIR|RECOLLECT_URL|RECOLLECT_PROFILE|DATABASE_URL)[ \t]*=[ \t]*\S/gm;

/**
 * Checks that there is an embedded database in a folder.
 *
 * @throws AppError `config_invalid`, which names the places where a memory was found instead
 */
export async function requireDatabase(dataDir: string): Promise<void> {
  if (hasDatabase(dataDir)) return;
  const folder = resolve(dataDir);
  const places = await placesElsewhere(folder, process.cwd(), tolerantConfig());
  const where = places.length === 0 ? ["None is known on this machine."] : places;
  throw new AppError(
    "config_invalid",
    [
      `There is no database in ${folder}, and this command makes none.`,
      ...where,
      "To begin here, run `recollect serve`, or store something: `recollect sync <folder>`.",
    ].join(" "),
  );
}

/**
 * Returns sentences that say where this machine has a memory, besides a folder without one: in a
 * folder above, behind a file of variables, in a running server, in folders that were used before.
 */
export async function placesElsewhere(folder: string, cwd: string, config: Config | undefined): Promise<string[]> {
  const above = folderAbove(cwd, folder);
  const known = config === undefined ? [] : knownDataFolders(config.cacheDir);
  const others = [...new Set([...(above === undefined ? [] : [above]), ...known])].filter((one) => one !== folder);
  const url = config && (await serverAt(config.port))?.url;
  const file = config?.namesDatabase ? undefined : variablesAbove(cwd);
  return [
    ...(file === undefined ? [] : [`${file.path} sets ${file.names.join(" and ")}, but the environment does not.`]),
    ...(url === undefined ? [] : [`A server answers at ${url}: add --url ${url}.`]),
    ...(others.length === 0
      ? []
      : [`There is one in ${others.slice(0, MOST_NAMED).join(", and one in ")}: set RECOLLECT_DATA_DIR to it.`]),
  ];
}

/** Returns the configuration; undefined if the environment or a config file is not valid. */
function tolerantConfig(): Config | undefined {
  try {
    return readConfig();
  } catch {
    return undefined;
  }
}

/** Returns all folders from a folder up to the root. */
function upwards(from: string): string[] {
  const parent = dirname(from);
  return parent === from ? [from] : [from, ...upwards(parent)];
}

function folderAbove(cwd: string, except: string): string | undefined {
  return upwards(cwd)
    .map((path) => join(path, DEFAULT_FOLDER))
    .find((path) => path !== except && hasDatabase(path));
}

/** Returns the nearest `.env` that leads to a memory. Recollect reads no such file itself. */
function variablesAbove(cwd: string): { path: string; names: string[] } | undefined {
  for (const folder of upwards(cwd)) {
    const path = join(folder, ".env");
    const names = [...new Set([...readSmall(path).matchAll(LEADING)].map(([, name = ""]) => name))];
    if (names.length > 0) return { path, names };
  }
  return undefined;
}

function readSmall(path: string): string {
  try {
    return existsSync(path) && statSync(path).size <= MAX_ENV_BYTES ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
