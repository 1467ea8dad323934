import type { TreeRow } from "./file-tree.ts";

/**
 * Where a key leads in a tree, as the WAI-ARIA pattern has it: a line, `act` (open or close a folder, show a file), or undefined for
 * a key that means nothing here.
 *
 * @param current the line with the focus
 * @param typed what was typed so far of a name; the next line that begins with it is meant
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

/** The next line whose name begins so, from the one behind the current on; a name that is being typed on may stay where it is. */
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
