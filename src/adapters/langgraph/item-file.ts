import type { Item, PutOperation } from "./store-operations.ts";
import { textsAt } from "./texts-at.ts";

/** An item without the time of its last change, which the file itself has. */
type KeptItem = Omit<Item, "updatedAt">;

const HEAD = "---\nlanggraph: ";
const VALUE = "\nvalue: data:application/json;base64,";
const END = "\n---\n";
/** The most bytes that one call turns into characters. */
const SLICE = 8192;

/**
 * Returns the text of the file that holds an item. Below the front matter stand the texts that
 * searches find. The value is in the front matter, in base64, which is not indexed: it would repeat
 * these texts, and `index` may say that nothing of it is to be found.
 */
export function itemFile(put: PutOperation, fields: readonly string[] | false, createdAt: Date): string {
  const { namespace, key, value } = put;
  const about = JSON.stringify({ namespace, key, createdAt });
  const index = put.index ?? fields;
  const body = index === false ? "" : textsAt(value, index).join("\n");
  return `${HEAD}${about}${VALUE}${toBase64(JSON.stringify(value))}${END}${body === "" ? "" : `\n${body}\n`}`;
}

/** Returns the item that a file holds; undefined if the file is not one of a store. */
export function itemOfFile(content: string): KeptItem | undefined {
  const end = content.indexOf(END);
  const at = content.slice(0, Math.max(end, 0)).indexOf(VALUE);
  if (!content.startsWith(HEAD) || at < 0) return undefined;
  try {
    const about = JSON.parse(content.slice(HEAD.length, at)) as { namespace: string[]; key: string; createdAt: string };
    const value = JSON.parse(fromBase64(content.slice(at + VALUE.length, end))) as KeptItem["value"];
    return { namespace: about.namespace, key: about.key, value, createdAt: new Date(about.createdAt) };
  } catch {
    return undefined;
  }
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let from = 0; from < bytes.length; from += SLICE)
    binary += String.fromCharCode(...bytes.subarray(from, from + SLICE));
  return btoa(binary);
}

function fromBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
