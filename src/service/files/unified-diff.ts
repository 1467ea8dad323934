import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

/** Finding the fewest changes between texts that have little in common takes long: no longer than this, and no more changed lines. */
const MAX_MS = 250;
const MAX_EDITS = 5000;
const CONTEXT = 3;

export interface UnifiedDiff {
  diff: string;
  /** False: the texts have too little in common, and the diff takes the one out and puts the other in. */
  exact: boolean;
}

/**
 * What changed between two texts as a unified diff, which `patch` and `git apply` take; empty when nothing did.
 * Of megabytes of short lines it takes more than a second: the thread that answers requests has it made elsewhere.
 */
export function unifiedDiff(path: string, before: string, after: string): UnifiedDiff {
  if (before === after) return { diff: "", exact: true };
  const names = [`a/${path}`, `b/${path}`, before, after, undefined, undefined] as const;
  const options = { context: CONTEXT, headerOptions: FILE_HEADERS_ONLY };
  const found = createTwoFilesPatch(...names, { ...options, maxEditLength: MAX_EDITS, timeout: MAX_MS });
  if (found !== undefined) return { diff: found, exact: true };
  return { diff: replaced(path, before, after), exact: false };
}

/** All of one text for all of another. */
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
