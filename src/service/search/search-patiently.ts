import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import { patientEmbedders } from "../embedding/patient-embedders.ts";
import type { SearchDeps } from "./search-deps.ts";

/**
 * Runs what somebody waits for: it waits for an embedder only so long, and begins again when the index was replaced by a new
 * one between two of its transactions.
 */
export async function searchPatiently<T>(deps: SearchDeps, search: (deps: SearchDeps) => Promise<T>): Promise<T> {
  const patient = { ...deps, embedders: patientEmbedders(deps.embedders, deps.queryEmbedTimeoutMs) };
  try {
    return await search(patient);
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.undefinedTable) throw error;
    return search(patient);
  }
}
