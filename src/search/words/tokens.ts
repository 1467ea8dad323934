/** A word of the text and the characters between it and the next one, as far as they could tie the two together. */
export interface ScannedWord {
  text: string;
  /** The tie to the word that follows in the same compound; undefined for the last word of a compound. */
  tie: Tie | undefined;
}

interface Tie {
  /** How the tie is written in an exact term. */
  text: string;
  /** 0 joins parts of one name (snake, kebab), 1 is a dot, 2 separates names (paths, namespaces, addresses). */
  level: 0 | 1 | 2;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Backslashes are written as slashes, so that a path is found however it was typed. */
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

/** Longest text between two words that can be a tie. */
const MAX_TIE = 3;

/**
 * Calls `onCompound` for each compound of the text: words in sequence that only a tie separates, such as the four of
 * `src/memory/hybrid.ts`, or a single word. Linear in the text: one character class, no backtracking over compounds.
 * `suffix` is `++` or `#` where it follows a word as in `C++` and `C#`, else empty; such a word ends its compound.
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
  // `page#anchor` is no `C#`: the sign has to end the name.
  if (code === HASH && !/^[\p{L}\p{N}#]/u.test(text.slice(end + 1, end + 3))) return "#";
  return "";
}

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

/** Scripts written without spaces between words. Postgres' parser takes a whole sentence of them for one word. */
const UNSPACED_RUN =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HAN = /\p{Script=Han}/u;
const HIRAGANA = /\p{Script=Hiragana}/u;

/** What a piece of a query's run asks for, and how much finding it says: 1 for a word. */
interface WeightedGram {
  gram: string;
  weight: number;
}

/** A pair with a hiragana: inflection and particles, mostly. */
const GRAMMAR_WEIGHT = 0.25;
/** A character that is a part of a word. Of both weights many rank alike, see docs/BENCHMARKS.md. */
const PART_WEIGHT = 0.5;

/** Nothing below this character belongs to such a script. */
const FIRST_UNSPACED = /[\u0e00-\u{10ffff}]/u;

/** Splits a word into runs of unspaced scripts and the rest; undefined when it is all rest, the usual case. */
export function splitUnspaced(word: string): { runs: string[]; rest: string[] } | undefined {
  if (!FIRST_UNSPACED.test(word)) return undefined;
  const runs = word.match(UNSPACED_RUN);
  if (!runs) return undefined;
  return { runs, rest: word.split(UNSPACED_RUN).filter((part) => part !== "") };
}

/** What a document's run is found by: every pair of neighbouring characters, and every character for one-letter queries. */
export function documentGrams(run: string): string[] {
  const letters = [...run];
  return [...letters, ...pairs(letters)];
}

/**
 * What a query's run asks for: its pairs, and its Chinese characters alone, of which each has a meaning: `離職` has to find
 * `離れた職場`. Between kana such a character is a whole word: `猫は` has to find `猫が`. A pair with a hiragana is mostly
 * grammar (`なけ`, `猫は`), and by its rarity alone it would outweigh what is asked for.
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

/** Nobody types or pastes a longer name; only its parts are indexed. */
const MAX_NAME_LENGTH = 100;
const MAX_CAMEL_LENGTH = 64;
const MAX_CAMEL_PARTS = 8;

const CAMEL_BOUNDARY = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const INNER_CAPITAL = /.\p{Lu}/u;
/** `DNAs` and `APIs` are plurals, not `DN` and `As`. */
const PLURAL_ACRONYM = /^\p{Lu}+s$/u;

/** `getHTTPResponse` as `get`, `HTTP`, `Response`; undefined when the word is one part. Encoded data is no camel case. */
export function camelParts(word: string): string[] | undefined {
  if (word.length > MAX_CAMEL_LENGTH || !INNER_CAPITAL.test(word) || PLURAL_ACRONYM.test(word)) return undefined;
  const parts = word.split(CAMEL_BOUNDARY);
  return parts.length > 1 && parts.length <= MAX_CAMEL_PARTS ? parts : undefined;
}

/**
 * The names inside a compound, whole: `src/memory/hybrid.ts` itself and `hybrid.ts`; of `net::ERR_FAILED` also
 * `err_failed`. `joined` are names tied by `_` and `-` only, written without them, so that `foo-bar`, `foo_bar` and
 * `fooBar` are one name; `exact` are the others, and those in which joining would run digits together (`10-15`).
 */
export function compoundNames(words: readonly ScannedWord[]): { joined: string[]; exact: string[] } {
  const joined = new Set<string>();
  const exact = new Set<string>();
  for (const level of [0, 1, 2] as const) {
    for (const piece of piecesAt(words, level)) {
      // A piece without a tie of this level was met at the level below.
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

/** The runs of words that ties of at most this level hold together. */
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
