import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useAgent } from "../app/connection-context.ts";
import { foldersAbove, type TreeRow, treeRows } from "../lib/file-tree.ts";

/** Entries of a folder that are asked for at once. */
const PAGE = 1000;

interface FileTree {
  rows: TreeRow[];
  isPending: boolean;
  error: Error | null;
  toggle: (folder: string) => void;
  /** Asks for the page of a folder that begins at the cursor. */
  load: (folder: string, cursor: string) => void;
}

/**
 * The files below a prefix as a tree whose folders are read when they open, page by page.
 *
 * @param path the file that is shown: the folders that it lies in are open
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
