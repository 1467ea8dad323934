/** A word of the text, and the characters that may tie it to the next word. */
export interface ScannedWord {
  text: string;
  /** The tie to the next word of the same compound; undefined for the last word of a compound. */
  tie: Tie | undefined;
}

interface Tie {
  /** The text of the tie in an exact term. */
  text: string;
  /**
   * 0 joins parts of one name (snake, kebab), 1 is a dot, 2 separates names (paths, namespaces,
   * addresses).
   */
  level: 0 | 1 | 2;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * The characters that can be a tie. Backslashes are written as slashes, so that a path is found
 * however it was typed.
 */
const TIES: ReadonlyMap<string, Tie> = new Map([
  ["_", { text: "_", level: 0 }],
  ["__", { text: "__", level: 0 }],
  ["-", { text: "-", level: 0 }],
  ["\u2010", { text: "-", level: 0 }],
  [".", { text: ".", level: 1 }],
  ["/", { text: "/", level: 2 }],
  ["\\", { text: "/", level: 2 }],
  ["\\\\", { text: "/", level: 2 }],
  [":", { text: ":", level: 2 }],
  ["::", { text: "::", level: 2 }],
  ["://", { text: "://", level: 2 }],
  ["@", { text: "@", level: 2 }],
  ["&", { text: "&", level: 2 }],
  ["->", { text: "->", level: 2 }],
]);

/** The longest text between two words that can be a tie. */
const MAX_TIE = 3;

/**
 * Calls `onCompound` for each compound of the text: a sequence of words with only ties between
 * them, such as the four words of `src/memory/hybrid.ts`, or a single word. Takes time linear in
 * the text: it needs one character class and no backtracking over compounds. `suffix` is `++` or
 * `#` where that follows a word, as in `C++` and `C#`, else empty; such a word ends its compound.
 */
export function scanCompounds(text: string, onCompound: (words: ScannedWord[], suffix: string) => void): void {
  let compound: ScannedWord[] = [];
  let last: ScannedWord | undefined;
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const gap = match.index - end;
    const tie = last && gap <= MAX_TIE ? TIES.get(text.slice(end, match.index)) : undefined;
    if (last && tie) last.tie = tie;
    else if (last) {
      onCompound(compound, suffixAt(text, end));
      compound = [];
    }
    last = { text: match[0], tie: undefined };
    compound.push(last);
    end = match.index + match[0].length;
  }
  if (last) onCompound(compound, suffixAt(text, end));
}

const PLUS = 43;
const HASH = 35;

function suffixAt(text: string, end: number): string {
  const code = text.charCodeAt(end);
  if (code === PLUS && text.charCodeAt(end + 1) === PLUS) return "++";
  // `page#anchor` is not like `C#`: the sign has to end the name.
  if (code === HASH && !/^[\p{L}\p{N}#]/u.test(text.slice(end + 1, end + 3))) return "#";
  return "";
}

/**
 * Letters that Unicode decomposition leaves whole, and how people type them on a keyboard without
 * them.
 */
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
 * The accents of Latin, Greek and Cyrillic, Hebrew points, and Arabic vowel signs. Other combining
 * marks are kept: in Devanagari or Thai they are vowels, and a word without them is another word.
 */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const NOT_ASCII = /[^\x00-\x7f]/;

/**
 * Returns a lower-case word without accents, `café` as `cafe`. A word without accents stays as it
 * is.
 */
export function foldToken(word: string): string {
  if (!NOT_ASCII.test(word)) return word;
  const plain = word.normalize("NFD").replace(ACCENTS, "").normalize("NFC");
  return plain.replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter] ?? letter);
}

const UMLAUT = /[äöü]/g;
const SPELT_UMLAUT = /([aou])e/g;

/**
 * Returns other spellings of a lower-case query word. `prüfung` is also typed without umlauts as
 * `pruefung`. In German `pruefung` is also searched as `prufung`, because a document's `prüfung` is
 * indexed so when its accents are folded. In other languages `ue` is rarely an umlaut: `value` is
 * not `valü`.
 */
export function umlautSpellings(word: string, isGerman: boolean): string[] {
  const spelt = word.replace(UMLAUT, (letter) => `${foldToken(letter)}e`);
  if (spelt !== word) return [spelt];
  const plain = isGerman ? word.replace(SPELT_UMLAUT, "$1") : word;
  return plain === word ? [] : [plain];
}

/**
 * Scripts that are written without spaces between words. Postgres' parser takes a whole sentence in
 * them for one word.
 */
const UNSPACED_RUN =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HAN = /\p{Script=Han}/u;
const HIRAGANA = /\p{Script=Hiragana}/u;

/** A piece of a query's run to search for, and the weight of finding it: 1 for a word. */
interface WeightedGram {
  gram: string;
  weight: number;
}

/** The weight of a pair with a hiragana, which is mostly inflection or a particle. */
const GRAMMAR_WEIGHT = 0.25;
/**
 * The weight of a character that is a part of a word. Many values of both weights rank alike, see
 * bench/notes/languages.md.
 */
const PART_WEIGHT = 0.5;

/** The characters from which the unspaced scripts begin; no character below belongs to one. */
const FIRST_UNSPACED = /[\u0e00-\u{10ffff}]/u;

/**
 * Splits a word into runs of unspaced scripts and the rest; returns undefined for a word without
 * such runs, the usual case.
 */
export function splitUnspaced(word: string): { runs: string[]; rest: string[] } | undefined {
  if (!FIRST_UNSPACED.test(word)) return undefined;
  const runs = word.match(UNSPACED_RUN);
  if (!runs) return undefined;
  return { runs, rest: word.split(UNSPACED_RUN).filter((part) => part !== "") };
}

/**
 * Returns the terms that find a document's run: every pair of neighbouring characters, and every
 * single character for one-letter queries.
 */
export function documentGrams(run: string): string[] {
  const letters = [...run];
  return [...letters, ...pairs(letters)];
}

/**
 * Returns the terms that a query's run searches for: its pairs, and its Chinese characters alone,
 * because each of them has a meaning: `離職` has to find `離れた職場`. Between kana a Chinese character is
 * a whole word: `猫は` has to find `猫が`. A pair with a hiragana is mostly grammar (`なけ`, `猫は`), and
 * by its rarity alone it would outweigh the words that are asked for.
 */
export function queryGrams(run: string): WeightedGram[] {
  const letters = [...run];
  const [only] = letters;
  if (only !== undefined && letters.length === 1) return [{ gram: only, weight: 1 }];
  const isHan = letters.map((letter) => HAN.test(letter));
  const characters = letters.flatMap((gram, at) =>
    isHan[at] ? [{ gram, weight: isHan[at - 1] || isHan[at + 1] ? PART_WEIGHT : 1 }] : [],
  );
  return [...pairs(letters).map((gram) => ({ gram, weight: HIRAGANA.test(gram) ? GRAMMAR_WEIGHT : 1 })), ...characters];
}

function pairs(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/**
 * The longest name that is indexed whole. People do not type or paste a longer name; only its parts
 * are indexed.
 */
const MAX_NAME_LENGTH = 100;
const MAX_CAMEL_LENGTH = 64;
const MAX_CAMEL_PARTS = 8;

const CAMEL_BOUNDARY = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const INNER_CAPITAL = /.\p{Lu}/u;
/** Plurals such as `DNAs` and `APIs`, which must not become `DN` and `As`. */
const PLURAL_ACRONYM = /^\p{Lu}+s$/u;

/**
 * Splits a camel-case word, `getHTTPResponse` into `get`, `HTTP`, `Response`; returns undefined
 * when the word is one part. Encoded data is not camel case.
 */
export function camelParts(word: string): string[] | undefined {
  if (word.length > MAX_CAMEL_LENGTH || !INNER_CAPITAL.test(word) || PLURAL_ACRONYM.test(word)) return undefined;
  const parts = word.split(CAMEL_BOUNDARY);
  return parts.length > 1 && parts.length <= MAX_CAMEL_PARTS ? parts : undefined;
}

/**
 * Returns the names inside a compound, whole: for `src/memory/hybrid.ts` itself and `hybrid.ts`;
 * for `net::ERR_FAILED` also `err_failed`. `joined` has the names tied by `_` and `-` only, written
 * without these ties, so that `foo-bar`, `foo_bar` and `fooBar` are one name. `exact` has the other
 * names, and names in which joining would run digits together (`10-15`).
 */
export function compoundNames(words: readonly ScannedWord[]): { joined: string[]; exact: string[] } {
  const joined = new Set<string>();
  const exact = new Set<string>();
  for (const level of [0, 1, 2] as const) {
    for (const piece of piecesAt(words, level)) {
      // A piece without a tie of this level was handled at the level below.
      if (!piece.some((word, index) => index < piece.length - 1 && word.tie?.level === level)) continue;
      const name = pieceName(piece);
      if (name === undefined) continue;
      if (level === 0 && !runsDigitsTogether(piece)) joined.add(piece.map((word) => word.text.toLowerCase()).join(""));
      else addExact(exact, name);
    }
  }
  return { joined: [...joined], exact: [...exact] };
}

function addExact(exact: Set<string>, name: string): void {
  exact.add(name);
  if (/^v\d/.test(name)) exact.add(name.slice(1));
}

/** Returns the runs of words that ties of at most this level hold together. */
function piecesAt(words: readonly ScannedWord[], level: 0 | 1 | 2): ScannedWord[][] {
  const pieces: ScannedWord[][] = [];
  let piece: ScannedWord[] = [];
  for (const word of words) {
    piece.push(word);
    if (word.tie && word.tie.level <= level) continue;
    pieces.push(piece);
    piece = [];
  }
  return pieces;
}

function pieceName(piece: readonly ScannedWord[]): string | undefined {
  let length = 0;
  for (const word of piece) length += word.text.length + 1;
  if (length > MAX_NAME_LENGTH) return undefined;
  const last = piece.length - 1;
  const name = piece.map((word, index) => word.text + (index < last ? (word.tie?.text ?? "") : "")).join("");
  return foldToken(name.toLowerCase());
}

function runsDigitsTogether(piece: readonly ScannedWord[]): boolean {
  return piece.some((word, index) => {
    const next = piece[index + 1];
    return next !== undefined && /\d$/.test(word.text) && /^\d/.test(next.text);
  });
}
