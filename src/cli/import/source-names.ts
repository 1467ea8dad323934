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
