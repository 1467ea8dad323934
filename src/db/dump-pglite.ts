import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { postgresIn } from "./database-folder.ts";

/**
 * Returns the embedded database of a folder as one file that `openPglite` accepts. No process may
 * have the folder open. For builds and tests.
 */
export async function dumpPglite(folder: string): Promise<Blob> {
  const pglite = await PGlite.create({ dataDir: postgresIn(folder), extensions: { vector } });
  const dump = await pglite.dumpDataDir("none");
  await pglite.close();
  return dump;
}
