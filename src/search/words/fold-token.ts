/** Letters that decomposition leaves whole, as people type them on a keyboard without them. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

/**
 * Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel signs. Not every combining mark: in Devanagari or Thai
 * they are vowels, and a word without them is another word.
 */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const NOT_ASCII = /[^\x00-\x7f]/;

/** The lower-case word without accents, `café` as `cafe`. The word itself when it has none. */
export function foldToken(word: string): string {
  if (!NOT_ASCII.test(word)) return word;
  const plain = word.normalize("NFD").replace(ACCENTS, "").normalize("NFC");
  return plain.replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter] ?? letter);
}

const UMLAUT = /[äöü]/g;
const SPELT_UMLAUT = /([aou])e/g;

/**
 * Other ways to write a lower-case word of a query: `prüfung` as `pruefung`, how it is typed without umlauts; and in German also
 * the reverse, as a document's word is indexed when its accents are folded (`pruefung` as `prufung`). Elsewhere `ue` is rarely
 * an umlaut: `value` is no `valü`.
 */
export function umlautSpellings(word: string, isGerman: boolean): string[] {
  const spelt = word.replace(UMLAUT, (letter) => `${foldToken(letter)}e`);
  if (spelt !== word) return [spelt];
  const plain = isGerman ? word.replace(SPELT_UMLAUT, "$1") : word;
  return plain === word ? [] : [plain];
}
