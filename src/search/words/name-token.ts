import { foldToken } from "./fold-token.ts";
import type { ScannedWord } from "./token-scan.ts";

/** A name longer than this is not one that somebody types or pastes; only its parts are indexed. */
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
