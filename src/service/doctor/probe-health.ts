import type { Deps } from "../deps.ts";

/** Whether requests can be served: the database answers. */
export async function probeReady(deps: Pick<Deps, "db">): Promise<boolean> {
  try {
    await deps.db.executeSql("SELECT 1");
    return true;
  } catch {
    return false;
  }
}
