import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Returns the folder of Postgres' files within the folder of an embedded database. */
export function postgresIn(folder: string): string {
  return join(folder, "postgres");
}

/** Returns a file that stands beside a new database until the database has been opened once. */
export function unfinishedMarkIn(folder: string): string {
  return join(folder, "postgres.unfinished");
}

/** Returns whether a folder holds an embedded database that has been opened once. */
export function hasDatabase(folder: string): boolean {
  return existsSync(join(postgresIn(folder), "PG_VERSION")) && !existsSync(unfinishedMarkIn(folder));
}

/**
 * Returns the size of the tables and indexes of an embedded database in bytes; 0 when there is none.
 */
export function databaseBytes(folder: string): number {
  const base = join(postgresIn(folder), "base");
  if (!existsSync(base)) return 0;
  return readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + sizeOf(join(parentPath, name)), 0);
}

/** Returns the size of a file; 0 when it was deleted meanwhile. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
