import type { FilePage, ListedFile } from "recollect/client";

/** The pages of an open folder, in order; undefined: one that is under way. */
export type FolderPages = ReadonlyMap<string, readonly (FilePage | undefined)[]>;

/** A line of the tree as it is shown. `position` and `of` count within the folder; `of` is -1 while the end is not known. */
export type TreeRow = { key: string; level: number } & (
  | { kind: "folder"; name: string; isOpen: boolean; position: number; of: number }
  | { kind: "file"; name: string; file: ListedFile; position: number; of: number }
  /** Where the next page of a folder goes; `cursor` is undefined while a page is under way. */
  | { kind: "more"; folder: string; cursor: string | undefined }
);

/**
 * The lines of a tree from the top, as far as folders are open and loaded.
 *
 * @param root what all paths begin with; names are shown without it, except for what stands before its last slash
 */
export function treeRows(pages: FolderPages, root: string, level = 1): TreeRow[] {
  const rows: TreeRow[] = [];
  const loaded = (pages.get(root) ?? []).filter((page) => page !== undefined);
  // A page that was read again after a deletion may begin where the one before now ends.
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
    // One by one: a folder may have more entries than a call may have arguments.
    if (isOpen) for (const row of treeRows(pages, entry, level + 1)) rows.push(row);
  });
  const isWaiting = loaded.length < (pages.get(root)?.length ?? 0);
  if (!isWhole && pages.has(root))
    rows.push({ kind: "more", key: `${root} more`, level, folder: root, cursor: isWaiting ? undefined : cursor });
  return rows;
}

/** Files and folders of a page as the service orders them, which is by the bytes of their paths. */
function inOrder({ files, folders = [] }: FilePage): (ListedFile | string)[] {
  return [...files, ...folders].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

function pathOf(entry: ListedFile | string): string {
  return typeof entry === "string" ? entry : entry.path;
}

/** The folders that a path lies in, from the top: of `a/b/c.md` `a/` and `a/b/`. */
export function foldersAbove(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1)).filter((folder) => folder !== path);
}
