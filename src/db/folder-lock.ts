import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../base/errors.ts";
import { makeFolder } from "../base/make-folder.ts";

const DISK_FULL = "53100";
const ANOTHER = "or name another folder with RECOLLECT_DATA_DIR";
/** The size of a new database's files and of the reserve on the disk (disk-room.ts). */
const NEW_DATABASE_MB = 96;

const LOCK = "lock.sqlite";
/**
 * SQLite's result code for a locked file, and the system's error codes that correspond to SQLite's
 * other result codes.
 */
const BUSY = 5;
const SYSTEM_CODES: Readonly<Record<number, string>> = { 8: "EACCES", 13: "ENOSPC", 14: "EACCES", 23: "EACCES" };

/** The folders that this process holds. */
const held = new Set<string>();

/**
 * Takes a data folder for this process alone. PGlite does not guard its folder, and two processes
 * that write to it destroy it. The lock is SQLite's exclusive file lock: the kernel drops it when
 * the process dies, `kill -9` included, so there is no stale lock to clean up and no process id to
 * guess about.
 *
 * @throws AppError `data_folder_in_use` when another process (or this one) holds the folder; the
 *   errors of `folderTrouble`
 */
export function lockFolder(folder: string): { release(): void } {
  // Not a static import: Node 22 warns at each load that the module is experimental, and most
  // commands lock no folder.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  let lock: InstanceType<typeof DatabaseSync> | undefined;
  try {
    makeWritable(folder);
    lock = new DatabaseSync(join(folder, LOCK), { timeout: 0 });
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    throw lockTrouble(cause, folder);
  }
  const taken = lock;
  held.add(resolve(folder));
  return {
    release: () => {
      held.delete(resolve(folder));
      taken.close();
    },
  };
}

/**
 * Creates the folder. Refuses a folder in which this process may not write: SQLite would open a
 * lock file that it may only read, and such a lock keeps no other process out.
 */
function makeWritable(folder: string): void {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  // mkdir reports ENOENT on a read-only disk.
  accessSync(nearest, constants.W_OK);
  makeFolder(folder);
  for (const part of [LOCK, "postgres", "postgres/PG_VERSION"]) {
    const path = join(folder, part);
    if (existsSync(path)) accessSync(path, constants.W_OK);
  }
}

function lockTrouble(cause: unknown, folder: string): AppError {
  const { errcode } = cause as { errcode?: unknown };
  if (typeof errcode !== "number") return folderTrouble(cause, folder);
  // The lowest byte of an extended result code is the plain result code.
  const result = errcode & 0xff;
  if (result !== BUSY)
    return folderTrouble(Object.assign(cause as Error, { code: SYSTEM_CODES[result] ?? "EIO" }), folder);
  if (held.has(resolve(folder)))
    return new AppError(
      "data_folder_in_use",
      `The data folder ${folder} is already open in this process: use that instance, or close it first.`,
      { cause },
    );
  return new AppError(
    "data_folder_in_use",
    `The data folder ${folder} is in use by another Recollect process, such as mcp, watch or sync. Wait until it ends, or end it and run recollect serve, which any number of commands and clients can use at the same time. RECOLLECT_DATA_DIR names another folder, with another memory.`,
    { cause },
  );
}

/**
 * Returns an error that says why the folder of an embedded database cannot be used, and the remedy.
 *
 * @returns `database_full`; `database_unsupported` for a database of another Postgres version;
 *   `config_invalid` for a folder that this process may not use; `database_unavailable` for a
 *   database that does not open
 */
export function folderTrouble(error: unknown, folder: string): AppError {
  if (error instanceof AppError) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  const trouble = (kind: "config_invalid" | "database_full" | "database_unsupported", message: string) =>
    new AppError(kind, message, { cause: error });
  if (code === "ENOSPC" || code === "EDQUOT" || code === DISK_FULL)
    return trouble(
      "database_full",
      `The disk of the data folder ${folder} is full. Make room, ${ANOTHER}; a new database needs ${NEW_DATABASE_MB} MB. Acknowledged writes are not lost.`,
    );
  if (code === "EROFS")
    return trouble(
      "config_invalid",
      `The data folder ${folder} is on a disk that is read-only. Make it writable, ${ANOTHER}.`,
    );
  if (code === "EACCES" || code === "EPERM")
    return trouble(
      "config_invalid",
      `This user${userId()} may not write the data folder ${folder}, or a part of it. Give the folder and all in it to this user (chown -R), ${ANOTHER}.`,
    );
  if (code === "ENOTDIR" || code === "EEXIST" || code === "EISDIR")
    return trouble(
      "config_invalid",
      `The data folder ${folder} cannot be made: a file stands in its place, or in the place of a folder above it. Move that file away, ${ANOTHER}.`,
    );
  if (code === "ENOENT" || code === "ELOOP" || code === "ENAMETOOLONG")
    return trouble(
      "config_invalid",
      `The data folder ${folder} cannot be made: its path cannot be followed (${code}). Correct the path, ${ANOTHER}.`,
    );
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
  const versions = /initialized by PostgreSQL version (\d+).*compatible with this version (\d+)/.exec(reason);
  if (versions)
    return trouble(
      "database_unsupported",
      `The database in ${folder} was made by PostgreSQL ${versions[1]}, and this Recollect has ${versions[2]}. Export its agents with the Recollect that made it (recollect agents export), then import them into a new folder; RECOLLECT_DATA_DIR names one.`,
    );
  return new AppError(
    "database_unavailable",
    `The database in ${folder} cannot be opened: ${reason}. Restore the folder from a backup, ${ANOTHER}.`,
    { cause: error },
  );
}

/** Returns the number of the process's user, on systems that have user numbers. */
function userId(): string {
  return process.getuid === undefined ? "" : ` (uid ${process.getuid()})`;
}
