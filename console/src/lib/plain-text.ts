/**
 * Removes the marks of Markdown from a passage that is shown in a few lines: headings, emphasis, code,
 * links and rows of tables keep their words only.
 */
export function plainText(markdown: string): string {
  return markdown
    .split("\n")
    .filter((line) => !isRuler(line))
    .map(wordsOfRow)
    .join("\n")
    .replace(/^[ \t]{0,3}#{1,6}[ \t]+/gm, "")
    .replace(/^[ \t]*>[ \t]?/gm, "")
    .replace(/!?\[([^\][]{0,300})\]\([^()\s]{0,500}\)/g, "$1")
    .replace(/(\*\*|__|~~|`)/g, "")
    .replace(/\n{2,}/g, "\n")
    .trim();
}

/** Returns whether a line is a rule, or separates the head of a table from its rows. */
function isRuler(line: string): boolean {
  return line.includes("---") && /^[\s|:-]+$/.test(line);
}

/** Returns the cells of a table's row with dots between them. A snippet may begin within the table. */
function wordsOfRow(line: string): string {
  const [, cut = "", row] = /^\s*(\.\.\.|…)?\|(.*)$/.exec(line) ?? [];
  if (row === undefined) return line;
  const cells = row.split("|").map((cell) => cell.trim());
  return cut + cells.filter((cell) => cell !== "").join(" · ");
}

/** Removes the source line from a snippet, because its title names the source. */
export function withoutSource(snippet: string): string {
  return snippet.replace(/\n\nSource: \S.*$/, "");
}

/** Returns the first heading of a passage, or undefined. */
export function headingOf(passage: string): string | undefined {
  return /^[ \t]{0,3}#{1,6}[ \t]+(\S.{0,200})$/m.exec(passage)?.[1]?.replace(/[*_`]/g, "").trim();
}
