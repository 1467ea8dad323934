import type { SourceFile } from "./import-kind.ts";

/** Returns the last segment of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Returns whether a file belongs to an export. Files that an operating system adds when it packs an
 * archive do not.
 */
export function isExportFile(path: string): boolean {
  return !path.split("/").some((segment) => segment === "__MACOSX" || segment.startsWith("._"));
}

/**
 * Returns the place of an element in a JSON file, such as `conversations.json[12]` or
 * `mem0.json results[3]`.
 */
export function placeOf({ path }: SourceFile, { list, index }: { list: string; index: number }): string {
  return `${path}${list === "" ? "" : ` ${list}`}[${index}]`;
}

/** Returns whether each line of a file is a JSON document, judged by the file's name. */
export function hasJsonLines(path: string): boolean {
  return /\.(jsonl|ndjson)$/i.test(path);
}

/** Returns whether a file of an export is JSON or has lines of JSON. */
export function isJsonExport(path: string): boolean {
  return isExportFile(path) && (/\.json$/i.test(path) || hasJsonLines(path));
}

/** Returns a name from the source as one valid segment of a path in the memory. */
export function safeSegment(name: string): string {
  const plain = name
    .toWellFormed()
    .normalize("NFC")
    .replace(/[\p{Cc}\\/:]+/gu, "-")
    .trim()
    .replace(/^\.+/, "");
  return plain.slice(0, MAX_SEGMENT_CHARS).toWellFormed().trim() || "unnamed";
}

/**
 * The maximum length of a segment. A segment may have at most 255 bytes, and a character takes up
 * to three bytes.
 */
const MAX_SEGMENT_CHARS = 60;
