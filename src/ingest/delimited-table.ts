/** The signs between the cells of a table in plain text, and the fewest of them in a row. */
const DELIMITERS: readonly { readonly sign: string; readonly least: number }[] = [
  { sign: "\t", least: 1 },
  { sign: ";", least: 1 },
  { sign: "|", least: 1 },
  // Prose has commas, too.
  { sign: ",", least: 2 },
];
/** The fewest lines of such a table: its header and some rows. */
const LEAST_LINES = 5;
/** The most lines that are compared with the header. */
export const SAMPLED_LINES = 50;
/** The share of rows with as many cells as the header; a cell in quotation marks may have the sign inside. */
const LEAST_ALIKE = 0.8;
const MAX_HEADER = 1000;
/** Matches the name of a column. */
const NAME = /^\s*["']?[\p{L}_#][^.!?]{0,40}["']?\s*$/u;

/**
 * Returns the header of lines that are a table in plain text, such as CSV, in Markdown's form
 * (`| name | place |`); undefined if they are no table. Only the first `SAMPLED_LINES` are read.
 */
export function headerOfDelimited(lines: readonly string[]): string | undefined {
  const [header = ""] = lines;
  if (lines.length < LEAST_LINES || header.length > MAX_HEADER) return undefined;
  const rows = lines.slice(1, SAMPLED_LINES);
  const found = DELIMITERS.find(({ sign, least }) => {
    const count = countOf(header, sign);
    return count >= least && rows.filter((row) => countOf(row, sign) === count).length >= LEAST_ALIKE * rows.length;
  });
  const names = found && header.split(found.sign);
  return names?.every((name) => NAME.test(name))
    ? `| ${names.map((name) => name.trim().replace(/^["']|["']$/g, "")).join(" | ")} |`
    : undefined;
}

function countOf(line: string, sign: string): number {
  return line.slice(0, MAX_HEADER).split(sign).length - 1;
}
