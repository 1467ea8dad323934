import { openPostgres } from "../../src/db/pg.ts";

/**
 * Enables pgvector in a database. This needs a superuser; it is the only thing that the service's
 * login cannot do itself.
 */
export async function createExtension(adminUrl: string, database: string, schema = "public"): Promise<void> {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  const admin = openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
  await admin.executeSql(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await admin.executeSql(`CREATE EXTENSION IF NOT EXISTS vector SCHEMA ${schema}`);
  await admin.close();
}
