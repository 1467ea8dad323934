/** Each is matched by itself. */
const MAX_SPELLINGS = 64;

export const GLOB_RULE = `must be a glob such as **/*.md, relative, with at most three '*' a segment and three '{', which stand for no range and at most ${MAX_SPELLINGS} spellings`;

/**
 * Whether a text is a glob of bounded cost: `*a*a*a*a*a*a*b` against one name of 60 letters took three seconds, three
 * braces of thirty names each took six seconds a file, and `{1..300000}` did not end.
 */
export function isGlob(pattern: string): boolean {
  if (/[()\\]/.test(pattern) || pattern.includes("\0") || pattern.startsWith("/")) return false;
  const [, ...braces] = pattern.split("{");
  if (braces.length > 3 || (braces.length > 0 && pattern.includes(".."))) return false;
  // With braces inside braces this is more than there are, never less.
  if (braces.reduce((product, part) => product * part.split(",").length, 1) > MAX_SPELLINGS) return false;
  return pattern.split("/").every((segment) => segment !== ".." && segment.split(/\*+/).length <= 4);
}
