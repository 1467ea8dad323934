import type { TokenLimit } from "./estimate-tokens.ts";

export interface Heading {
  /** The 0-based line on which the heading starts. */
  readonly line: number;
  /** The level, 1 to 6. */
  readonly depth: number;
  readonly text: string;
}

const MAX_PATH = 300;
const MAX_HEADING = 120;
const SEPARATOR = " > ";

/**
 * Turns a heading's Markdown into plain words. Removes inline HTML tags, link targets, backticks,
 * strong marks, backslash escapes and a trailing `{#anchor}`. Keeps `_` and a single `*`, which are
 * more often part of an identifier than emphasis.
 */
export function headingText(markdown: string): string {
  // The cut limits the work of the regular expressions below, whose bracket patterns are quadratic
  // on a hostile heading of a megabyte.
  const text = markdown
    .slice(0, 1000)
    .replace(/<\/?(?:a|abbr|b|br|code|em|i|img|kbd|span|strong|sub|sup)\b[^<>]*>/gi, "")
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\{[#.:][^{}]*\}\s*$/, "")
    .replace(/\*\*|`/g, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return shorten(text, MAX_HEADING);
}

function shorten(text: string, max: number): string {
  if (text.length <= max) {
    return text;
  }
  // A cut inside a surrogate pair would leave half a character, which UTF-8 cannot store.
  return `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/**
 * Returns a function that gives the heading path at a line.
 *
 * @param most the most tokens of a path, because every token of the path leaves less room for the
 *   text
 */
export function headingPaths(title: string, headings: readonly Heading[], most?: TokenLimit): (line: number) => string {
  const root = headingText(title);
  const parents = parentsOf(headings);
  const pathOf = (index: number): string => {
    const stack: string[] = [];
    for (let at = index; at >= 0; at = parents[at] ?? -1) stack.unshift(headings[at]?.text ?? "");
    return joinPath(root, stack, most);
  };
  let known = { index: -1, path: pathOf(-1) };
  return (line) => {
    const index = lastUpTo(headings, line, known.index);
    if (index !== known.index) known = { index, path: pathOf(index) };
    return known.path;
  };
}

/** Returns the index of the parent of each heading; -1: no parent. */
function parentsOf(headings: readonly Heading[]): Int32Array {
  const parents = new Int32Array(headings.length);
  for (const [index, { depth }] of headings.entries()) {
    let parent = index - 1;
    while (parent >= 0 && (headings[parent]?.depth ?? 0) >= depth) parent = parents[parent] ?? -1;
    parents[index] = parent;
  }
  return parents;
}

/**
 * Returns the last heading at or before a line. Searches from `near`, because callers ask for lines
 * nearly in order.
 */
function lastUpTo(headings: readonly Heading[], line: number, near: number): number {
  let index = near;
  while (index >= 0 && (headings[index]?.line ?? 0) > line) index--;
  while ((headings[index + 1]?.line ?? Number.POSITIVE_INFINITY) <= line) index++;
  return index;
}

function joinPath(root: string, stack: readonly string[], most: TokenLimit | undefined): string {
  const parts = stack.filter((text) => text !== "");
  // Most files repeat the front matter's title as their first heading.
  if (root !== "" && parts[0]?.toLowerCase() !== root.toLowerCase()) {
    parts.unshift(root);
  }
  const isLong = (path: string) => path.length > MAX_PATH || (most !== undefined && most.count(path) > most.tokens);
  // The deepest headings say most about a chunk, so the outermost are dropped first when the path
  // is too long.
  while (parts.length > 1 && isLong(parts.join(SEPARATOR))) {
    parts.shift();
  }
  let path = parts.join(SEPARATOR);
  while (path.length > 1 && isLong(path)) path = shorten(path, Math.ceil(path.length / 2));
  return path;
}

/** The longest header of a table that is repeated with its rows. */
const MAX_TABLE_HEADER = 160;

/**
 * Returns the heading of a chunk that begins with rows of a table: the path with the table's header
 * at its end. Without the names of its columns a row says little.
 *
 * @param line the header's line
 * @param most the most tokens of the heading; a heading that is too long stays without the header
 */
export function withTableHeader(path: string, line: string, most: TokenLimit | undefined): string {
  const header = line.slice(0, 1000).replace(/\s+/g, " ").trim();
  const heading = path === "" ? header : `${path}${SEPARATOR}${header}`;
  const isLong = header.length > MAX_TABLE_HEADER || heading.length > MAX_PATH;
  // A header without a bar at its beginning could not be told from a heading.
  if (!header.startsWith("|") || isLong || (most !== undefined && most.count(heading) > most.tokens)) return path;
  return heading;
}

/** Returns the header of a table that `withTableHeader` added to a heading. */
export function tableHeaderOf(heading: string): string | undefined {
  if (heading.startsWith("|")) return heading;
  const at = heading.indexOf(`${SEPARATOR}|`);
  return at === -1 ? undefined : heading.slice(at + SEPARATOR.length);
}
