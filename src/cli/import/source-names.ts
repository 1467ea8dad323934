import type { SourceFile } from "./import-kind.ts";

/** The last segment of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether a file belongs to an export, and was not put beside it by a computer that packed it. */
export function isExportFile(path: string): boolean {
  return !path.split("/").some((segment) => segment === "__MACOSX" || segment.startsWith("._"));
}

/** Where an element of a JSON file stands, such as `conversations.json[12]` or `mem0.json results[3]`. */
export function placeOf({ path }: SourceFile, { list, index }: { list: string; index: number }): string {
  return `${path}${list === "" ? "" : ` ${list}`}[${index}]`;
}

/** A name of others as one segment of a path in the memory. */
export function safeSegment(name: string): string {
  const plain = name
    .toWellFormed()
    .normalize("NFC")
    .replace(/[\p{Cc}\\/:]+/gu, "-")
    .trim()
    .replace(/^\.+/, "");
  return plain.slice(0, MAX_SEGMENT_CHARS).toWellFormed().trim() || "unnamed";
}

/** A segment has at most 255 bytes, and a character up to three of them. */
const MAX_SEGMENT_CHARS = 60;
