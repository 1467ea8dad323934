/** Returns the words of a text as `stem` leaves them, in order. */
export function stemsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{M}\p{N}]+(?:[.'’][\p{L}\p{N}]+)*/gu) ?? []).map(stem);
}

/** Matches the "our" of British spelling. */
const BRITISH = /(?<=(?:col|fav|flav|behavi|neighb))our/u;

/** Returns a word in lower case and American spelling, without the endings of the plural and of possession. */
export function stem(word: string): string {
  const plain = word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]s$/u, "")
    .replace(BRITISH, "or");
  return plain.length > 3 && /[^su]s$/u.test(plain) ? plain.slice(0, -1) : plain;
}
