/** The most wildcards of one pattern; several in a row count as one. */
const MAX_WILDCARDS = 8;
/**
 * Patterns with at most this many steps are compared with any number of paths, as a plain filter by
 * folder is.
 */
const FEW_STEPS = 8;
/**
 * The limit of a product: the steps of all patterns, multiplied by the bytes of all paths. LIKE
 * takes about two nanoseconds for one step at one byte, so the limit is 0.4 s.
 */
const MOST_WORK = 200_000_000;

export const PATTERN_RULE = `may have at most ${MAX_WILDCARDS} wildcards each; a run of \`*\` counts as one, and one \`*\` already crosses folders`;

/**
 * Returns whether each pattern has few enough wildcards. `LIKE` walks the whole pattern for every
 * path; one with 400 wildcards stopped other tenants' searches.
 */
export function arePatterns(patterns: readonly string[]): boolean {
  return patterns.every((pattern) => literalsOf(pattern).length - 1 <= MAX_WILDCARDS);
}

/** Returns the patterns in the syntax of LIKE, each once. */
export function likePatterns(patterns: readonly string[]): string[] {
  return [...new Set(patterns.map(toLike))];
}

/**
 * Returns a LIKE pattern for all paths below a folder. A `*` in the folder's name is no wildcard.
 */
export function likeFolder(folder: string): string {
  return `${escaped(folder)}/%`;
}

function toLike(pattern: string): string {
  return escaped(withFolder(pattern)).replace(/\*+/g, "%");
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Extends a folder to a pattern for everything below it. */
function withFolder(pattern: string): string {
  return pattern.endsWith("/") ? `${pattern}*` : pattern;
}

/** Returns the literal texts before, between and after the wildcards. */
function literalsOf(pattern: string): string[] {
  return withFolder(pattern).split(/\*+/);
}

/**
 * Returns the most steps that LIKE takes for one byte of a path, over all patterns together. LIKE
 * tries the literal after a wildcard at each position of the path. So it compares a byte as often
 * as beginnings of the literal overlap there: once or twice for words, n times for n equal letters.
 * One pattern of 200 letters took 1.7 s for 5,000 long paths, as much as twenty patterns of 400
 * wildcards each.
 */
export function stepsOf(patterns: readonly string[]): number {
  return [...new Set(patterns)].reduce((sum, pattern) => {
    const [, ...behind] = literalsOf(pattern);
    return sum + behind.reduce((most, literal) => Math.max(most, 1 + overlapsOf(literal)), 1);
  }, 0);
}

/**
 * Returns how many beginnings of a text can end at one position of another text: the longest chain
 * of its failure function (Knuth, Morris, Pratt 1977).
 */
function overlapsOf(text: string): number {
  const borders = [0];
  const overlaps = [text === "" ? 0 : 1];
  let border = 0;
  for (let i = 1; i < text.length; i++) {
    while (border > 0 && text[i] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[i] === text[border]) border++;
    borders.push(border);
    overlaps.push(1 + (border > 0 ? (overlaps[border - 1] ?? 0) : 0));
  }
  return Math.max(...overlaps);
}

/**
 * Returns the bytes of paths that the patterns may be compared with in one search; undefined when
 * there is no limit.
 */
export function mostPathBytes(patterns: readonly string[]): number | undefined {
  const steps = stepsOf(patterns);
  return steps > FEW_STEPS ? MOST_WORK / steps : undefined;
}
