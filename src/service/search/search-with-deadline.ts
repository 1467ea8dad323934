import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import { embeddersWithDeadline } from "../embedding/embedders-with-deadline.ts";
import type { SearchDeps } from "./search-deps.ts";

/**
 * Runs what somebody waits for: it waits for an embedder only so long, and begins again when the index was replaced by a new
 * one between two of its transactions.
 */
export async function searchWithDeadline<T>(deps: SearchDeps, search: (deps: SearchDeps) => Promise<T>): Promise<T> {
  const bounded = { ...deps, embedders: embeddersWithDeadline(deps.embedders, deps.queryEmbedTimeoutMs) };
  try {
    return await search(bounded);
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.undefinedTable) throw error;
    return search(bounded);
  }
}
