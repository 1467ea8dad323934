import { AppError } from "../base/errors.ts";

const MAX_PATH_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Checks a path of an agent's memory: relative, `/` between segments, no `.`/`..`/empty segment, no backslash, drive
 * letter or control character, at most 1,024 bytes. Nothing is cleaned up silently: two spellings of one file would be
 * two files. Returns the path in Unicode normal form C, so that a name typed on macOS is the name stored from Linux.
 *
 * @throws AppError `invalid_path`; the sentence never says whether the file exists.
 */
export function checkMemoryPath(path: string): string {
  const normal = path.normalize("NFC");
  const problem = pathProblem(normal);
  if (problem)
    throw new AppError("invalid_path", `The path ${problem}. Use a relative path such as notes/2026-05-18.md.`);
  return normal;
}

/**
 * Checks a path to read: one of the agent's memory, or an absolute one inside the folders that its settings name. Returns it
 * in Unicode normal form C.
 *
 * @param folders the `extraPaths` of the agent
 * @throws AppError `invalid_path`; the sentence is the same whether or not the file exists.
 */
export function checkReadablePath(path: string, folders: readonly string[]): string {
  const normal = path.normalize("NFC");
  const isInside = folders.some((folder) => {
    const top = folder.normalize("NFC");
    return normal === top || normal.startsWith(`${top}/`);
  });
  return isInside && absolutePathProblem(normal) === undefined ? normal : checkMemoryPath(path);
}

/** Why this is no absolute path as it must be spelled; undefined when it is one. */
export function absolutePathProblem(path: string): string | undefined {
  return path.startsWith("/") ? pathProblem(path.slice(1)) : "is not absolute";
}

function pathProblem(path: string): string | undefined {
  if (path === "") return "is empty";
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  if (CONTROL.test(path)) return "contains a control character";
  if (path.includes("\\")) return "contains a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is absolute";
  for (const segment of path.split("/")) {
    if (segment === "" || segment === "." || segment === "..") return "contains an empty, '.' or '..' segment";
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `has a segment longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return undefined;
}

const FACT_PATH = /^facts\/([1-9]\d{0,17})$/;

/** The fact that a path names (`facts/12`); undefined for a path that no fact can have. */
export function factOfPath(path: string): string | undefined {
  return FACT_PATH.exec(path)?.[1];
}
