/** A word of the text and the characters between it and the next one, as far as they could tie the two together. */
export interface ScannedWord {
  text: string;
  /** The tie to the word that follows in the same compound; undefined for the last word of a compound. */
  tie: Tie | undefined;
}

export interface Tie {
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
