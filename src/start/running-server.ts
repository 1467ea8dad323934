import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../base/errors.ts";
import { lockFolder } from "../db/folder-lock.ts";

const fileName = "server.json";

/** Notes beside an embedded database which URL serves it, so that CLI commands find the process that owns the folder. */
export function advertise(dataDir: string, url: string): () => void {
  const file = join(dataDir, fileName);
  writeFileSync(file, JSON.stringify({ url }));
  return () => rmSync(file, { force: true });
}

/** The URL a running server noted; it may be left over from one that was killed. */
export function advertisedUrl(dataDir: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(join(dataDir, fileName), "utf8")) as { url?: unknown };
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined;
  }
}

/** The URL of the server that has an embedded database open now; undefined when nobody has, or who has it serves nobody. */
export function serverOfFolder(dataDir: string): string | undefined {
  const url = advertisedUrl(dataDir);
  if (url === undefined) return undefined;
  try {
    lockFolder(dataDir).release();
    return undefined;
  } catch (error) {
    // Who then opens a folder that cannot be locked for another reason says why.
    return error instanceof AppError && error.code === "data_folder_in_use" ? url : undefined;
  }
}
