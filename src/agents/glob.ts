export const GLOB_RULE = "must be a glob such as **/*.md, relative, with at most three '*' a segment and three '{'";

/** A glob whose cost is bounded: `*a*a*a*a*a*a*b` against one name of 60 letters took three seconds. */
export function isGlob(pattern: string): boolean {
  if (/[()\\]/.test(pattern) || pattern.includes("\0") || pattern.startsWith("/") || pattern.split("{").length > 4)
    return false;
  return pattern.split("/").every((segment) => segment !== ".." && segment.split(/\*+/).length <= 4);
}
