/** A piece of a text with its lines, 1-based and inclusive. */
export interface TextPiece {
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
}

/**
 * The share of a piece after which it may end. It ends there at a paragraph, else a line, a
 * sentence or a word, if one ends there.
 */
const LEAST_FILL = 0.6;
const ENDS = [/\n\s*\n/g, /\n/g, /[.!?。！？]\s/g, /\s/g] as const;

/**
 * Cuts a text into pieces of at most `chars` characters (UTF-16). Each piece repeats at most
 * `overlap` characters of the piece before, from the start of a word. The same text is always cut
 * the same way. Blank pieces are left out.
 */
export function cutText(text: string, { chars, overlap }: { chars: number; overlap: number }): TextPiece[] {
  const pieces: TextPiece[] = [];
  let line = 1;
  let counted = 0;
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start, chars);
    line += newlines(text, counted, start);
    counted = start;
    const piece = text.slice(start, end);
    const blank = piece.length - piece.trimStart().length;
    const kept = piece.trim();
    const startLine = line + newlines(piece, 0, blank);
    if (kept !== "") pieces.push({ text: kept, startLine, endLine: startLine + newlines(kept, 0, kept.length) });
    start = end === text.length ? end : overlapStart(text, start, end, overlap);
  }
  return pieces;
}

function pieceEnd(text: string, start: number, chars: number): number {
  const most = start + chars;
  if (most >= text.length) return text.length;
  const least = start + Math.floor(chars * LEAST_FILL);
  const last = text.slice(least, most);
  for (const end of ENDS) {
    const match = [...last.matchAll(end)].at(-1);
    if (match) return least + match.index + match[0].length;
  }
  return whole(text, most);
}

/**
 * Returns the start of the first word within the last `overlap` characters. It is always after the
 * piece's own start, so that the cutting ends.
 */
function overlapStart(text: string, start: number, end: number, overlap: number): number {
  const least = Math.max(start + 1, end - overlap);
  const word = text.slice(least - 1, end).search(/\s\S/);
  return word < 0 ? Math.max(start + 1, whole(text, least)) : least + word;
}

/** Moves a position that would split a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
