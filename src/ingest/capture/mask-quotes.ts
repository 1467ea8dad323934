/** Stands for a character that is not the speaker's own. A private-use character: no pattern knows it. */
export const MASK = "\uE000";

/** Opening marks whose closing mark is another character. */
const CLOSERS: Readonly<Record<string, string>> = {
  "“": '”"',
  "„": "“”",
  "«": "»",
  "»": "«",
  "‹": "›",
  "「": "」",
  "『": "』",
  "《": "》",
};
const ALNUM = /[\p{L}\p{N}]/u;

/**
 * Replaces what stands in quotation marks or backticks, marks included. A quotation that is not closed goes on to the end of
 * its paragraph: better to miss a statement than to keep somebody else's. Linear, and the length stays the same.
 */
export function maskQuotes(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  /** Up to here no closing mark was found, so none is searched for again. */
  const searched = { "'": 0, "`": 0 };
  for (let at = 0; at < text.length; at++) {
    const end = quoteEnd(text, at, searched);
    if (end <= at) continue;
    parts.push(text.slice(kept, at), MASK.repeat(end - at));
    kept = end;
    at = end - 1;
  }
  return parts.join("") + text.slice(kept);
}

/** The end of the quotation that begins at `at`, exclusive; -1: none does. */
function quoteEnd(text: string, at: number, searched: { "'": number; "`": number }): number {
  const mark = text.charAt(at);
  if (mark === '"' || mark === "‘") return opensWord(text, at) ? straightEnd(text, at, mark, "paragraph") : -1;
  if (mark === "'" || mark === "`") {
    if (at < searched[mark] || (mark === "'" && !opensWord(text, at))) return -1;
    const end = straightEnd(text, at, mark, "line");
    if (end < 0) searched[mark] = lineEnd(text, at);
    return end;
  }
  const closers = CLOSERS[mark];
  if (closers === undefined || (mark === "»" && !opensWord(text, at))) return -1;
  return pairedEnd(text, at, mark, closers);
}

/** In `27"` and `don't` the mark opens nothing. */
function opensWord(text: string, at: number): boolean {
  return !ALNUM.test(text.charAt(at - 1)) && !/^\s?$/.test(text.charAt(at + 1));
}

function straightEnd(text: string, at: number, mark: string, within: "line" | "paragraph"): number {
  const closer = mark === "‘" ? "’" : mark;
  for (let i = at + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\n" && (within === "line" || text.charAt(i + 1) === "\n")) return within === "line" ? -1 : i;
    // An apostrophe inside a word does not close, and a mark after a space opens another.
    if (char === closer && (mark === "`" || !ALNUM.test(text.charAt(i + 1))) && i > at + 1) return i + 1;
  }
  return within === "line" ? -1 : text.length;
}

function pairedEnd(text: string, at: number, opener: string, closers: string): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === opener) depth++;
    else if (closers.includes(char) && --depth === 0) return i + 1;
    else if (char === "\n" && text.charAt(i + 1) === "\n") return i;
  }
  return text.length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
