import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

/**
 * The limits of a comparison, in time and in changed lines. Finding the fewest changes takes long
 * when two texts have little in common.
 */
const MAX_MS = 250;
const MAX_EDITS = 5000;
const CONTEXT = 3;

export interface UnifiedDiff {
  diff: string;
  /**
   * False when the texts have too little in common. The diff then removes the whole old text and
   * adds the whole new one.
   */
  exact: boolean;
}

/**
 * Returns the difference between two texts as a unified diff for `patch` and `git apply`; empty
 * when they are equal. Megabytes of short lines take more than a second, so the event loop's thread
 * must not run this.
 */
export function unifiedDiff(path: string, before: string, after: string): UnifiedDiff {
  if (before === after) return { diff: "", exact: true };
  const names = [`a/${path}`, `b/${path}`, before, after, undefined, undefined] as const;
  const options = { context: CONTEXT, headerOptions: FILE_HEADERS_ONLY };
  const found = createTwoFilesPatch(...names, { ...options, maxEditLength: MAX_EDITS, timeout: MAX_MS });
  if (found !== undefined) return { diff: found, exact: true };
  return { diff: replaced(path, before, after), exact: false };
}

/** Returns a diff that replaces one whole text by another. */
function replaced(path: string, before: string, after: string): string {
  const [out, into] = [marked("-", before), marked("+", after)];
  const range = (lines: number) => `${lines === 0 ? 0 : 1},${lines}`;
  return `--- a/${path}\n+++ b/${path}\n@@ -${range(out.lines)} +${range(into.lines)} @@\n${out.text}${into.text}`;
}

function marked(sign: string, text: string): { text: string; lines: number } {
  if (text === "") return { text: "", lines: 0 };
  const whole = text.endsWith("\n");
  const lines = (whole ? text.slice(0, -1) : text).split("\n");
  const end = whole ? "" : "\\ No newline at end of file\n";
  return { text: `${lines.map((line) => `${sign}${line}\n`).join("")}${end}`, lines: lines.length };
}
