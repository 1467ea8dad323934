import { useQueryClient } from "@tanstack/react-query";

/**
 * Returns a function that marks a file, its chunks, its versions and the lists of files as changed,
 * so that they are read again. If the file is gone, its own parts are read again only when they are
 * shown the next time.
 */
export function useFileChanged(agent: string, path: string): (gone?: "gone") => Promise<unknown> {
  const queries = useQueryClient();
  return (gone) =>
    Promise.all([
      ...["file", "chunks", "versions"].map((what) =>
        queries.invalidateQueries({ queryKey: [what, agent, path], refetchType: gone ? "none" : "active" }),
      ),
      ...["files", "deleted", "status"].map((what) => queries.invalidateQueries({ queryKey: [what, agent] })),
    ]);
}
