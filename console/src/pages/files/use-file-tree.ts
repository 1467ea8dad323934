import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useAgent } from "../../app/connection-context.ts";
import { foldersAbove, type TreeRow, treeRows } from "../../lib/file-tree.ts";

/** The number of a folder's entries per request. */
const PAGE = 1000;

interface FileTree {
  rows: TreeRow[];
  isPending: boolean;
  error: Error | null;
  toggle: (folder: string) => void;
  /** Requests the page of a folder that begins at the cursor. */
  load: (folder: string, cursor: string) => void;
}

/**
 * Reads the files below a prefix as a tree. A folder is read when it is opened, page by page.
 *
 * @param path the file that is shown; the folders that contain it are open at first
 */
export function useFileTree(agent: string, prefix: string, path: string | undefined): FileTree {
  const memory = useAgent(agent);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(foldersAbove(path ?? "")));
  const [cursors, setCursors] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const folders = useMemo(() => {
    const isSeen = (folder: string) =>
      folder.startsWith(prefix) &&
      foldersAbove(folder).every((above) => above.length <= prefix.length || open.has(above));
    return [prefix, ...[...open].filter((folder) => folder !== prefix && isSeen(folder))];
  }, [open, prefix]);
  const wanted = folders.flatMap((folder) =>
    [undefined, ...(cursors.get(folder) ?? [])].map((cursor) => ({ folder, cursor })),
  );
  const found = useQueries({
    queries: wanted.map(({ folder, cursor }) => ({
      queryKey: ["files", agent, folder, cursor ?? ""],
      queryFn: () => memory.files.list({ prefix: folder, delimiter: "/", limit: PAGE, cursor }),
    })),
    combine: (queries) => ({
      pages: queries.map(({ data }) => data),
      error: queries.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `wanted` is what the pages were asked for by.
  const rows = useMemo(() => {
    const pages = new Map(
      folders.map((folder) => [folder, found.pages.filter((_, at) => wanted[at]?.folder === folder)]),
    );
    return treeRows(pages, prefix);
  }, [found.pages, folders, prefix]);
  const toggle = useCallback((folder: string) => {
    setOpen((known) => {
      const next = new Set(known);
      if (!next.delete(folder)) next.add(folder);
      return next;
    });
  }, []);
  const load = useCallback((folder: string, cursor: string) => {
    setCursors((known) => {
      const own = known.get(folder) ?? [];
      return own.includes(cursor) ? known : new Map(known).set(folder, [...own, cursor]);
    });
  }, []);
  return { rows, isPending: found.pages[0] === undefined && found.error === null, error: found.error, toggle, load };
}
