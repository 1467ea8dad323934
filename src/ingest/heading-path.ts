export interface Heading {
  /** 0-based line on which it starts. */
  readonly line: number;
  /** 1 to 6. */
  readonly depth: number;
  readonly text: string;
}

const MAX_PATH = 300;
const MAX_HEADING = 120;
const SEPARATOR = " > ";

/**
 * A heading's Markdown as plain words: inline HTML tags, link targets, backticks, strong marks, backslash escapes and a
 * trailing `{#anchor}` go. `_` and a single `*` stay: they are more often part of an identifier than emphasis.
 */
export function headingText(markdown: string): string {
  // The cut bounds the regular expressions below, whose bracket patterns are quadratic on a hostile megabyte heading.
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

/** Gives the heading path in force at a line. Lines must be asked for in ascending order: that keeps it linear. */
export function headingPaths(title: string, headings: readonly Heading[]): (line: number) => string {
  const root = headingText(title);
  let stack: Heading[] = [];
  let next = 0;
  let path = root;
  return (line) => {
    const before = next;
    for (let heading = headings[next]; heading !== undefined && heading.line <= line; heading = headings[++next]) {
      const { depth } = heading;
      stack = stack.filter((open) => open.depth < depth);
      stack.push(heading);
    }
    if (next > before) {
      path = joinPath(root, stack);
    }
    return path;
  };
}

function joinPath(root: string, stack: readonly Heading[]): string {
  const parts = stack.map((heading) => heading.text).filter((text) => text !== "");
  // Most files repeat the front matter's title as their first heading.
  if (root !== "" && parts[0]?.toLowerCase() !== root.toLowerCase()) {
    parts.unshift(root);
  }
  // The deepest headings say most about a chunk, so the outermost go first when the path is too long.
  while (parts.length > 1 && parts.join(SEPARATOR).length > MAX_PATH) {
    parts.shift();
  }
  return parts.join(SEPARATOR);
}
