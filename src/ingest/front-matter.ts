export interface FrontMatter {
  /** The number of lines of the front matter, both fences included; 0 when the file has none. */
  readonly lines: number;
  /** The value of `title:`, or "". */
  readonly title: string;
}

const NONE: FrontMatter = { lines: 0, title: "" };

// The most lines of front matter. A file may open with a thematic break: without a bound, a second
// "---" 100,000 lines later would turn everything before it into metadata.
const MAX_LINES = 1000;
// The first line between the fences must look like YAML; otherwise the "---" is a thematic break.
const YAML_START = /^(?:#|["']?[\w$][\w .$-]*["']?\s*:(?:\s|$))/;
const TITLE = /^["']?title["']?\s*:\s*(.*)$/i;

/**
 * Finds the YAML block between `---` and `---` (or `...`) at the start of a file. Reads only its
 * title.
 */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  if (lines[0]?.trimEnd() !== "---") {
    return NONE;
  }
  const limit = Math.min(lines.length, MAX_LINES);
  let started = false;
  for (let i = 1; i < limit; i++) {
    const line = (lines[i] ?? "").trimEnd();
    if (line === "---" || (line === "..." && started)) {
      return { lines: i + 1, title: readTitle(lines.slice(1, i)) };
    }
    if (!started && line !== "") {
      if (!YAML_START.test(line)) {
        return NONE;
      }
      started = true;
    }
  }
  return NONE;
}

function readTitle(yaml: readonly string[]): string {
  for (const [i, line] of yaml.entries()) {
    const value = TITLE.exec(line)?.[1]?.trim();
    if (value !== undefined) {
      // A block scalar (`title: >-`) has its text on the next line.
      return /^[|>][-+\d]*$/.test(value) ? (yaml[i + 1] ?? "").trim() : unquote(value);
    }
  }
  return "";
}

function unquote(value: string): string {
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1];
  if (double !== undefined) {
    return double.replace(/\\(.)/g, "$1").trim();
  }
  const single = /^'((?:[^']|'')*)'/.exec(value)?.[1];
  if (single !== undefined) {
    return single.replaceAll("''", "'").trim();
  }
  return value.replace(/\s#.*$/, "").trim();
}
