import type { FilePage, ListedFile } from "recollect/client";

/** The pages of each open folder, in order; undefined stands for a page that is being loaded. */
export type FolderPages = ReadonlyMap<string, readonly (FilePage | undefined)[]>;

/**
 * A line of the tree as it is shown. `position` is the line's place in its folder. `of` is the
 * number of entries in the folder, or -1 while that number is not known.
 */
export type TreeRow = { key: string; level: number } & (
  | { kind: "folder"; name: string; isOpen: boolean; position: number; of: number }
  | { kind: "file"; name: string; file: ListedFile; position: number; of: number }
  /** The place of a folder's next page. `cursor` is undefined while a page is being loaded. */
  | { kind: "more"; folder: string; cursor: string | undefined }
);

/**
 * Returns the lines of a tree from the top, as far as its folders are open and loaded.
 *
 * @param root the prefix of all paths. Names are shown without the part of the prefix up to its
 * last slash
 */
export function treeRows(pages: FolderPages, root: string, level = 1): TreeRow[] {
  const rows: TreeRow[] = [];
  const loaded = (pages.get(root) ?? []).filter((page) => page !== undefined);
  // When pages are read again after a deletion, a page may begin with entries that the page before
  // it now contains too.
  const entries = [...new Map(loaded.flatMap(inOrder).map((entry) => [pathOf(entry), entry])).values()];
  const cursor = loaded.at(-1)?.nextCursor;
  const isWhole = loaded.length > 0 && cursor === undefined && loaded.length === pages.get(root)?.length;
  const before = root.lastIndexOf("/") + 1;
  entries.forEach((entry, at) => {
    const place = { level, position: at + 1, of: isWhole ? entries.length : -1 };
    if (typeof entry !== "string") {
      rows.push({ ...place, kind: "file", key: entry.path, name: entry.path.slice(before), file: entry });
      return;
    }
    const isOpen = pages.has(entry);
    rows.push({ ...place, kind: "folder", key: entry, name: entry.slice(before), isOpen });
    // Rows are added one by one, because a folder may have more entries than a call may have
    // arguments.
    if (isOpen) for (const row of treeRows(pages, entry, level + 1)) rows.push(row);
  });
  const isWaiting = loaded.length < (pages.get(root)?.length ?? 0);
  if (!isWhole && pages.has(root))
    rows.push({ kind: "more", key: `${root} more`, level, folder: root, cursor: isWaiting ? undefined : cursor });
  return rows;
}

/**
 * Returns a page's files and folders in the service's order, which is by the bytes of their paths.
 */
function inOrder({ files, folders = [] }: FilePage): (ListedFile | string)[] {
  return [...files, ...folders].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

function pathOf(entry: ListedFile | string): string {
  return typeof entry === "string" ? entry : entry.path;
}

/** Returns the folders that contain a path, from the top: `a/` and `a/b/` for `a/b/c.md`. */
export function foldersAbove(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1)).filter((folder) => folder !== path);
}
