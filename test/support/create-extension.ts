import { openPostgres } from "../../src/db/pg.ts";

/** Enables pgvector in a database, which takes a superuser: the one thing that the service's login has done for it. */
export async function createExtension(adminUrl: string, database: string, schema = "public"): Promise<void> {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  const admin = openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
  await admin.executeSql(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await admin.executeSql(`CREATE EXTENSION IF NOT EXISTS vector SCHEMA ${schema}`);
  await admin.close();
}
