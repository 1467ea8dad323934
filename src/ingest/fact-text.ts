import { contentHash } from "./normalise.ts";

/** A fact's text as it is stored: in Unicode normal form C, without white space around it. */
export function normaliseFact(text: string): string {
  return text.normalize("NFC").trim();
}

/** The hash of a text as it is compared: case, width, white space and the punctuation at the end make no difference. */
export function factHash(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ");
  return contentHash(folded.trim().replace(/[\s.!。．！]+$/u, ""));
}

/** The hash that the embedding cache knows a fact by: that of a chunk without a heading. */
export function factChunkHash(text: string): string {
  return contentHash(`\n${text}`);
}

/** Words that turn a statement into its opposite, in the languages that facts are most often written in. */
const NEGATIONS = new Set(
  "not no never none without cannot nicht kein keine keinen nie non pas jamais sans sin nunca jamás não nem senza mai".split(
    " ",
  ),
);

/**
 * Whether two texts whose embeddings are nearly equal say the same. Embeddings hardly tell `port 8080` from `port 8081` or
 * `uses tabs` from `never uses tabs`, so words with a digit and negations have to be the same ones.
 */
export function restates(one: string, other: string): boolean {
  return telling(one) === telling(other);
}

function telling(text: string): string {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}_'.:/+-]+/gu) ?? [];
  return words
    .map((word) => word.replace(/[.:'/]+$/u, ""))
    .filter((word) => /\p{N}/u.test(word) || NEGATIONS.has(word) || word.endsWith("n't"))
    .map((word) => (word.endsWith("n't") ? "not" : word))
    .sort()
    .join(" ");
}
