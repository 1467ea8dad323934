import { type TokenLimit, textWeight } from "./estimate-tokens.ts";

/** Measurements of a file's lines. Line numbers are 0-based, ends are exclusive. */
export interface LineRuler {
  readonly count: number;
  readonly isBlank: (line: number) => boolean;
  /**
   * Returns the weight (quarters of a token) of everything before a line, newlines included;
   * defined up to `count`.
   */
  readonly weightBefore: (line: number) => number;
  /** Returns the weight of the lines from..to, without the newline at the end. */
  readonly weight: (from: number, to: number) => number;
  /** Returns the tokens of everything before a line, counted by the limit; 0 without a limit. */
  readonly tokensBefore: (line: number) => number;
  /** Returns whether the lines from..to fit one chunk without a heading path. */
  readonly fits: (from: number, to: number) => boolean;
  /** Returns the first line at or after `line` that is not blank; `count` when there is none. */
  readonly nextInk: (line: number) => number;
  /** Returns `to` moved back over blank lines, at most to `from`. */
  readonly trimEnd: (from: number, to: number) => number;
}

/** @param budget the most weight of a chunk */
export function measureLines(lines: readonly string[], budget: number, limit: TokenLimit | undefined): LineRuler {
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
  const tokens = limit && countLines(lines, limit);
  const weightBefore = (line: number): number => before[line] ?? 0;
  const tokensBefore = (line: number): number => tokens?.[line] ?? 0;
  const weight = (from: number, to: number): number => weightBefore(to) - weightBefore(from) - 1;
  const mostTokens = limit?.tokens ?? 0;
  return {
    count,
    isBlank: (line) => next[line] !== line,
    weightBefore,
    weight,
    tokensBefore,
    fits: (from, to) => weight(from, to) <= budget && tokensBefore(to) - tokensBefore(from) <= mostTokens,
    nextInk: (line) => next[line] ?? count,
    trimEnd: (from, to) => Math.max(from, last[to] ?? 0),
  };
}

function countLines(lines: readonly string[], { count }: TokenLimit): Float64Array {
  const before = new Float64Array(lines.length + 1);
  for (const [i, line] of lines.entries()) before[i + 1] = (before[i] ?? 0) + count(line);
  return before;
}
