import { clean, oneLine } from "../../cli/sessions/transcript-line.ts";
import type { FactInput } from "../../client/client.ts";
import { factPieces } from "./foreign-facts.ts";
import type { Item } from "./import-kind.ts";

/** The server's limit of tags for one fact. */
const MAX_TAGS = 20;

/**
 * Turns a statement into one fact, or into several if it is too long for one.
 *
 * @param more the other fields of the facts. Tags and parts of the scope are adapted to the
 * server's limits; empty ones are left out
 */
export function* factsOf(
  text: string,
  place: string,
  { tags = [], scope = {}, ...more }: Omit<FactInput, "text"> = {},
): Generator<Item> {
  const names = [...new Set(tags.map(oneLine))].filter((tag) => tag !== "").slice(0, MAX_TAGS);
  const parts = Object.entries(scope).flatMap(([name, value]) => {
    const line = oneLine(value ?? "");
    return line === "" ? [] : [[name, line]];
  });
  const common = {
    ...more,
    ...(names.length > 0 && { tags: names }),
    ...(parts.length > 0 && { scope: Object.fromEntries(parts) as FactInput["scope"] }),
  };
  const pieces = factPieces(clean(text));
  if (pieces.length === 0) yield { bad: "no text", place };
  for (const piece of pieces) yield { fact: { text: piece, ...common }, place };
}

/** Returns a relation's name as words: `works_at` becomes `works at`. */
export function wordsOf(relation: string): string {
  return relation.replace(/[_\s]+/g, " ").trim();
}
