/**
 * Returns a text in lower case without accents, so that "fevrier" is "février". Marks that make
 * another letter, as in Japanese, stay.
 */
export function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}
