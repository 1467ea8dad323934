import type { TreeRow } from "./file-tree.ts";

/**
 * Returns the effect of a key in a tree, following the WAI-ARIA pattern: the line that gets the
 * focus, `act` (open or close a folder, show a file), or undefined for a key without effect.
 *
 * @param current the line with the focus
 * @param typed the part of a name that was typed so far; it selects the next line that begins with
 * it
 */
export function treeTarget(
  rows: readonly TreeRow[],
  current: number,
  key: string,
  typed: string,
): number | "act" | undefined {
  const row = rows[current];
  if (!row) return undefined;
  const isFolder = row.kind === "folder";
  switch (key) {
    case "ArrowDown":
      return Math.min(rows.length - 1, current + 1);
    case "ArrowUp":
      return Math.max(0, current - 1);
    case "Home":
      return 0;
    case "End":
      return rows.length - 1;
    case "Enter":
    case " ":
      return "act";
    case "ArrowRight":
      if (!isFolder) return undefined;
      return row.isOpen ? childOf(rows, current) : "act";
    case "ArrowLeft":
      return isFolder && row.isOpen ? "act" : parentOf(rows, current);
    default:
      return typed === "" ? undefined : named(rows, current, typed);
  }
}

function childOf(rows: readonly TreeRow[], current: number): number | undefined {
  return (rows[current + 1]?.level ?? 0) > (rows[current]?.level ?? 0) ? current + 1 : undefined;
}

function parentOf(rows: readonly TreeRow[], current: number): number | undefined {
  const level = rows[current]?.level ?? 0;
  const parent = rows.slice(0, current).findLastIndex((row) => row.level < level);
  return parent < 0 ? undefined : parent;
}

/**
 * Returns the next line whose name begins with the typed text. For the first letter, the search
 * starts after the current line. For each further letter, it starts at the current line, which may
 * still match.
 */
function named(rows: readonly TreeRow[], current: number, typed: string): number | undefined {
  const from = typed.length > 1 ? current : current + 1;
  const wanted = typed.toLowerCase();
  for (let step = 0; step < rows.length; step++) {
    const at = (from + step) % rows.length;
    const row = rows[at];
    if (row && row.kind !== "more" && row.name.toLowerCase().startsWith(wanted)) return at;
  }
  return undefined;
}
