import { jsonOf } from "../../base/json-text.ts";
import { isObject } from "../../base/objects.ts";
import { objectsOf, textOf } from "./fields.ts";
import type { WrittenDocuments } from "./written-documents.ts";

/**
 * Carries out a call that writes a document of ChatGPT's canvas. Its arguments are JSON:
 * `{ name, type, content }` of a new document, or `{ updates: [{ pattern, multiple, replacement }] }`
 * for the document of the conversation that was written last. A pattern is a regular expression of
 * Python; only `.*`, which replaces the whole text, and patterns without special characters are
 * carried out, because any other pattern may take a very long time.
 *
 * @param recipient the name of the called tool
 * @param current the id of the document that was written last; undefined if there is none
 * @param id the id of the message
 * @returns the id of the document that was written; undefined if the call changed nothing
 */
export function writeCanvas(
  documents: WrittenDocuments,
  { recipient, text, id, at }: { recipient: unknown; text: string; id: string; at: unknown },
  current: string | undefined,
): string | undefined {
  const given = jsonOf(text);
  if (!isObject(given)) return undefined;
  if (recipient === "canmore.create_textdoc") {
    const content = textOf(given.content);
    if (content === undefined) return undefined;
    documents.write(id, textOf(given.name) ?? "document", content, at);
    return id;
  }
  if (recipient !== "canmore.update_textdoc" || current === undefined) return undefined;
  const done = objectsOf(given.updates).map(({ pattern, replacement, multiple }) => {
    if (typeof pattern !== "string" || typeof replacement !== "string") return false;
    if (pattern === ".*") return documents.rewrite(current, replacement, at);
    const old = literalOf(pattern);
    if (old === undefined) return false;
    return documents.replace(current, { old, with: replacement, isAll: multiple === true }, at);
  });
  return done.length > 0 && done.every(Boolean) ? current : undefined;
}

/** Returns the text that a pattern without special characters matches. */
function literalOf(pattern: string): string | undefined {
  const plain = pattern.replace(/\\([^a-zA-Z0-9])/g, "$1");
  const isSpecial = /[.*+?^${}()|[\]]/.test(pattern.replace(/\\[^a-zA-Z0-9]/g, "")) || /\\[a-zA-Z0-9]/.test(pattern);
  return isSpecial ? undefined : plain;
}
