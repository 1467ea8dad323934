import type { SkippedFile } from "./walk-folder.ts";

/** The most files with the same reason that are named one by one. */
const MOST_ALIKE = 3;

/**
 * Joins the files that have the same reason. A folder of 300 documents whose package is missing then
 * says so in one line.
 *
 * @param hint says how to see the names of all files
 */
export function joinAlike(files: readonly SkippedFile[], hint = ""): SkippedFile[] {
  const byReason = Map.groupBy(files, ({ reason }) => reason);
  return [...byReason].flatMap(([reason, alike]) => {
    if (alike.length <= MOST_ALIKE) return alike;
    const first = alike.slice(0, MOST_ALIKE).map(({ path }) => path);
    return [{ path: `${first.join(", ")} and ${alike.length - MOST_ALIKE} more${hint}`, reason }];
  });
}
