import { createHash } from "node:crypto";
import { clean } from "../../cli/sessions/transcript-line.ts";
import type { Item } from "./import-kind.ts";

/**
 * Yields a text of an export as a file of the memory, or nothing if the text is empty.
 *
 * @param at the time when the text was written, as an ISO 8601 time; of any other value the file gets
 * the time of the import
 */
export function* noteFile(path: string, text: string, at: unknown): Generator<Item> {
  if (text.trim() === "") return;
  const content = Buffer.from(clean(text));
  const mtime = new Date(typeof at === "string" ? at : Number.NaN);
  yield {
    file: {
      path,
      content,
      absolute: "",
      size: content.length,
      hash: createHash("sha256").update(content).digest("hex"),
      mtime: Number.isNaN(mtime.getTime()) ? new Date() : mtime,
    },
  };
}
