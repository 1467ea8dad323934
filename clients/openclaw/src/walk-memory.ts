import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** A memory file of a workspace as the file system shows it. */
export interface WorkspaceFile {
  /** Relative to the workspace, with `/`. */
  path: string;
  absolute: string;
  /** Changes whenever the file does. */
  stamp: string;
  mtimeMs: number;
  size: number;
}

const ROOT_FILES = ["MEMORY.md", "memory.md", "USER.md"];
const FOLDER = "memory";
/** Generated files and lock files. OpenClaw does not index them either. */
const HIDDEN = /^[.~]|~$/;
const MAX_FILES = 10_000;
const MAX_DEPTH = 16;

/**
 * Returns the files that OpenClaw itself indexes: `MEMORY.md`, `USER.md`, and the Markdown below
 * `memory/`. Symbolic links are not followed, because they may lead out of the workspace. An absent
 * workspace has no files.
 *
 * @throws Error when a folder cannot be read: its files must not count as deleted
 */
export async function walkMemory(workspace: string): Promise<WorkspaceFile[]> {
  const paths = [...ROOT_FILES, ...(await below(workspace, FOLDER, 0))].slice(0, MAX_FILES);
  const found = await Promise.all(paths.map((path) => fileAt(workspace, path)));
  const files = found.filter((file) => file !== undefined);
  // On a file system that does not tell upper case from lower case, both names lead to one file.
  const root = files.filter((file) => !file.path.includes("/"));
  const isTwice = root.some((file) => file.path === "MEMORY.md") && root.some((file) => file.path === "memory.md");
  return isTwice ? files.filter((file) => file.path !== "memory.md") : files;
}

/** Returns whether this walk can find a path of the memory. */
export function isWalked(path: string): boolean {
  return ROOT_FILES.includes(path) || (path.startsWith(`${FOLDER}/`) && path.endsWith(".md"));
}

async function below(workspace: string, folder: string, depth: number): Promise<string[]> {
  if (depth > MAX_DEPTH) return [];
  let entries: Dirent[];
  try {
    entries = await readdir(join(workspace, folder), { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
  const paths: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (HIDDEN.test(entry.name) || paths.length >= MAX_FILES) continue;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await below(workspace, path, depth + 1)));
    else if (entry.isFile() && entry.name.endsWith(".md")) paths.push(path);
  }
  return paths;
}

async function fileAt(workspace: string, path: string): Promise<WorkspaceFile | undefined> {
  const absolute = join(workspace, path);
  try {
    const found = await lstat(absolute);
    const { mtimeMs, ctimeMs, size, ino } = found;
    if (!found.isFile()) return undefined;
    return { path, absolute, stamp: `${ino}:${mtimeMs}:${ctimeMs}:${size}`, mtimeMs, size };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Returns whether an error says that there is no such file. */
export function isAbsent(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "ENOENT" || code === "ENOTDIR";
}
