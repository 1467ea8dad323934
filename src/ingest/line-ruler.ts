import { textWeight } from "./estimate-tokens.ts";

/** Measures over a file's lines; 0-based, ends exclusive. */
export interface LineRuler {
  readonly count: number;
  readonly isBlank: (line: number) => boolean;
  /** Weight (quarters of a token) of everything before a line, newlines included; defined up to `count`. */
  readonly weightBefore: (line: number) => number;
  /** Weight of the lines from..to, without the newline at the end. */
  readonly weight: (from: number, to: number) => number;
  /** The first line at or after `line` that is not blank; `count` when there is none. */
  readonly nextInk: (line: number) => number;
  /** `to` moved back over blank lines, at most to `from`. */
  readonly trimEnd: (from: number, to: number) => number;
}

export function measureLines(lines: readonly string[]): LineRuler {
  const count = lines.length;
  const before = new Float64Array(count + 1);
  const next = new Int32Array(count + 1).fill(count);
  const last = new Int32Array(count + 1);
  for (const [i, line] of lines.entries()) {
    before[i + 1] = (before[i] ?? 0) + textWeight(line) + 1;
    last[i + 1] = line.trim() === "" ? (last[i] ?? 0) : i + 1;
  }
  for (let i = count - 1; i >= 0; i--) {
    next[i] = last[i + 1] === i + 1 ? i : (next[i + 1] ?? count);
  }
  const weightBefore = (line: number): number => before[line] ?? 0;
  return {
    count,
    isBlank: (line) => next[line] !== line,
    weightBefore,
    weight: (from, to) => weightBefore(to) - weightBefore(from) - 1,
    nextInk: (line) => next[line] ?? count,
    trimEnd: (from, to) => Math.max(from, last[to] ?? 0),
  };
}
