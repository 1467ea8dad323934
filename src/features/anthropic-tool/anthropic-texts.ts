import { failureTable, nextMatchLength } from "../../base/text/knuth-morris-pratt.ts";
import { CommandError, type CommandOf } from "./anthropic-commands.ts";

/** The most characters of a file that one view shows. A model reads the rest with view_range. */
const MAX_VIEW_CHARS = 100_000;
const MAX_LINES = 999_999;
const LINE_NUMBER_WIDTH = 6;
/** Lines of context around a replacement. */
const SNIPPET_LINES = 2;
/** The most line numbers that an error lists. */
const MAX_LISTED_LINES = 100;

/** Formats a size like `ls -h`: 0B, 512B, 1K, 5.5K, 1.2M. */
export function formatSize(bytes: number): string {
  const units = ["B", "K", "M", "G"];
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const size = bytes / 1024 ** power;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${units[power]}`;
}

/** Returns the text that `view` shows for a directory. */
export function listingText(
  path: string,
  entries: readonly { path: string; directory: boolean; size: number }[],
  more: boolean,
): string {
  const total = entries.filter((entry) => !entry.path.includes("/")).reduce((sum, entry) => sum + entry.size, 0);
  const base = path.replace(/\/$/, "");
  const lines = entries.map((entry) => `${formatSize(entry.size)}\t${base}/${entry.path}${entry.directory ? "/" : ""}`);
  return [
    `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`,
    `${formatSize(total)}\t${path}`,
    ...lines,
    ...(more ? ["(There are more; view a directory to see its contents.)"] : []),
  ].join("\n");
}

/**
 * Returns the text that `view` shows for a file.
 *
 * @throws CommandError when the file has too many lines
 */
export function viewText({ path, view_range: range }: CommandOf<"view">, content: string): string {
  const { lines } = splitLines(content);
  if (lines.length > MAX_LINES) throw new CommandError(`File ${path} exceeds maximum line limit of 999,999 lines.`);
  const [from = 1, to = -1] = range?.length === 2 ? range : [];
  const first = Math.max(1, from);
  const wanted = lines.slice(first - 1, to === -1 ? undefined : Math.max(to, 0));
  const shown: string[] = [];
  let chars = 0;
  for (const line of wanted) {
    const numbered = numberLine(first + shown.length, line.slice(0, MAX_VIEW_CHARS).toWellFormed());
    if (shown.length > 0 && chars + numbered.length > MAX_VIEW_CHARS) break;
    chars += numbered.length + 1;
    shown.push(numbered);
  }
  const next = first + shown.length;
  const more =
    shown.length < wanted.length ? [`(The file goes on; use view_range [${next}, -1] to read further.)`] : [];
  return `Here's the content of ${path} with line numbers:\n${[...shown, ...more].join("\n")}`;
}

/**
 * Replaces the only occurrence of a text.
 *
 * @returns the new content, and the text for the model
 * @throws CommandError
 */
export function replaceText(
  { path, old_str: old, new_str: replacement }: CommandOf<"str_replace">,
  content: string,
): { content: string; text: string } {
  // `findMatches` includes overlapping matches, because they are ambiguous as well.
  const [at, second]: Iterable<number | undefined> = findMatches(content, old);
  if (at === undefined)
    throw new CommandError(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`);
  if (second !== undefined) {
    const numbers = linesWith(content, old);
    const listed = `${numbers.slice(0, MAX_LISTED_LINES).join(", ")}${numbers.length > MAX_LISTED_LINES ? ", …" : ""}`;
    throw new CommandError(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${listed}. Please ensure it is unique`,
    );
  }
  const changed = content.slice(0, at) + replacement + content.slice(at + old.length);
  const line = content.slice(0, at).split("\n").length;
  const first = Math.max(1, line - SNIPPET_LINES);
  const snippet = splitLines(changed).lines.slice(first - 1, line + SNIPPET_LINES);
  const text = "The memory file has been edited. Here is the snippet showing the change (with line numbers):";
  return { content: changed, text: [text, ...snippet.map((one, index) => numberLine(first + index, one))].join("\n") };
}

/**
 * Inserts lines after the line with the given number; 0 inserts at the top.
 *
 * @returns the new content
 * @throws CommandError
 */
export function insertText({ insert_line: line, insert_text: inserted }: CommandOf<"insert">, content: string): string {
  const { lines, ends } = splitLines(content);
  if (line < 0 || line > lines.length)
    throw new CommandError(
      `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  if (lines.length === 0) return inserted;
  const joined = lines.toSpliced(line, 0, inserted.replace(/\n$/, "")).join("\n");
  return ends ? `${joined}\n` : joined;
}

/**
 * Splits a file's text into lines as an editor numbers them: a line break at the very end ends the
 * last line and begins no new one.
 */
function splitLines(content: string): { lines: string[]; ends: boolean } {
  const ends = content.endsWith("\n");
  const text = ends ? content.slice(0, -1) : content;
  return { lines: content === "" ? [] : text.split("\n"), ends };
}

function numberLine(number: number, line: string): string {
  return `${String(number).padStart(LINE_NUMBER_WIDTH)}\t${line}`;
}

/**
 * Returns the distinct numbers of the lines in which the text begins, at most one more than an
 * error lists.
 */
function linesWith(content: string, text: string): number[] {
  const numbers: number[] = [];
  let line = 1;
  let end = content.indexOf("\n");
  for (const at of findMatches(content, text)) {
    for (; end !== -1 && end < at; end = content.indexOf("\n", end + 1)) line++;
    if (numbers.at(-1) !== line) numbers.push(line);
    if (numbers.length > MAX_LISTED_LINES) break;
  }
  return numbers;
}

/**
 * Yields the positions of a text in another, in order, including overlapping ones. It takes linear
 * time: `indexOf` takes ten seconds to find `ab` or `aaa…` of 100,000 characters in `aaa…` of
 * 400,000.
 */
function* findMatches(content: string, text: string): Generator<number> {
  if (text === "") return;
  const borders = failureTable(text);
  let matched = 0;
  for (let at = 0; at < content.length; at++) {
    matched = nextMatchLength(text, borders, matched, content.charCodeAt(at));
    if (matched === text.length) yield at + 1 - matched;
  }
}
