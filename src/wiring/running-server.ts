import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../base/errors.ts";
import { lockFolder } from "../db/folder-lock.ts";

const fileName = "server.json";

/**
 * Writes the server's URL into a file beside an embedded database, so that CLI commands find the
 * process that owns the folder.
 *
 * @returns a function that removes the file
 */
export function advertise(dataDir: string, url: string): () => void {
  const file = join(dataDir, fileName);
  writeFileSync(file, JSON.stringify({ url }));
  return () => rmSync(file, { force: true });
}

/**
 * Returns the URL that a running server wrote. A server that was killed may have left the file
 * behind.
 */
export function advertisedUrl(dataDir: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(join(dataDir, fileName), "utf8")) as { url?: unknown };
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the URL of the server that has an embedded database open now. Returns undefined if no
 * process has it open, or if the process that has it open is no server.
 */
export function serverOfFolder(dataDir: string): string | undefined {
  const url = advertisedUrl(dataDir);
  if (url === undefined) return undefined;
  try {
    lockFolder(dataDir).release();
    return undefined;
  } catch (error) {
    // If the folder cannot be locked for another reason, opening it later reports that reason.
    return error instanceof AppError && error.code === "data_folder_in_use" ? url : undefined;
  }
}
