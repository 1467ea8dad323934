import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../base/errors.ts";

/**
 * Takes a data folder for this process alone. PGlite does not guard its folder, and two processes that write it destroy
 * it. The lock is SQLite's exclusive file lock: the kernel drops it when the process dies, `kill -9` included, so there
 * is no stale lock to clean up and no process id to guess about.
 *
 * @throws AppError `data_folder_in_use` when another process (or this one) holds the folder.
 */
export function lockFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true });
  // Not imported: Node 22 warns at each load that it is experimental, and most commands take no folder.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const lock = new DatabaseSync(join(folder, "lock.sqlite"), { timeout: 0 });
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new AppError(
      "data_folder_in_use",
      `The data folder ${folder} is in use by another Recollect process. Stop that process, or give this one a folder of its own with RECOLLECT_DATA_DIR.`,
      { cause },
    );
  }
  return { release: () => lock.close() };
}
