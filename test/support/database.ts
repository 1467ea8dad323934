import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { openPglite } from "../../src/db/pglite.ts";
import { openClusterDatabase } from "./citus.ts";
import { createExtension } from "./create-extension.ts";

const TEMPLATE = "recollect_template";

export interface TestDatabase {
  db: Database;
  /** The URL at which another process reaches the same database; undefined on PGlite. */
  url: string | undefined;
  /** Removes the database, with the roles of the agents in it. */
  drop(): Promise<void>;
}

/** Opens a database for this test file only, with the control schema in place. */
export async function openTestDatabase(
  options: { prepared?: boolean; extensionSchema?: string } = {},
): Promise<TestDatabase> {
  const serverUrl = inject("serverUrl");
  const serviceUrl = inject("serviceUrl");
  if (serverUrl === undefined || serviceUrl === undefined) {
    const db = await openEmbedded(options);
    return { db, url: undefined, drop: () => db.close() };
  }
  if (inject("onCluster")) return openClusterDatabase(options);
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = openPostgres({ connectionString: serverUrl, maxConnections: 1, onIdleError: () => undefined });
  const url = new URL(serviceUrl);
  const template = options.prepared === false ? "" : `TEMPLATE ${TEMPLATE}`;
  await admin.executeSql(`CREATE DATABASE ${name} ${template} OWNER "${decodeURIComponent(url.username)}"`);
  if (options.prepared === false) await createExtension(serverUrl, name, options.extensionSchema);
  url.pathname = `/${name}`;
  const db = openPostgres({
    connectionString: pooled(url),
    // As in operation: with a direct connection string no statements are prepared.
    ...(process.env.RECOLLECT_TEST_POOLER ? { directConnectionString: url.href } : {}),
    maxConnections: 12,
    onIdleError: () => undefined,
  });
  const drop = async () => {
    const roles = await agentRoles(db);
    await db.close();
    await admin.executeSql(`DROP DATABASE ${name} WITH (FORCE)`);
    for (const role of roles) await admin.executeSql(`DROP ROLE IF EXISTS "${role}"`);
    await admin.close();
  };
  return { db, url: url.href, drop };
}

async function openEmbedded(options: { prepared?: boolean; extensionSchema?: string }): Promise<Database> {
  const template = inject("pgliteTemplate");
  if (template === undefined) throw new Error("A pure test has no database: see vitest.config.ts.");
  if (options.prepared !== false) return openPglite(undefined, template);
  const db = await openPglite(undefined, null);
  if (options.extensionSchema !== undefined)
    await db.executeSql(
      `CREATE SCHEMA ${options.extensionSchema}; CREATE EXTENSION vector SCHEMA ${options.extensionSchema}`,
    );
  return db;
}

/**
 * Returns the URL of the service's connections. With RECOLLECT_TEST_POOLER=host:port they go
 * through the transaction pooler at that address.
 */
function pooled(direct: URL): string {
  const { RECOLLECT_TEST_POOLER } = process.env;
  if (!RECOLLECT_TEST_POOLER) return direct.href;
  const url = new URL(direct);
  url.host = RECOLLECT_TEST_POOLER;
  return url.href;
}

async function agentRoles(db: Database): Promise<string[]> {
  const { rows } = await db.executeSql<{ exists: boolean }>(
    "SELECT to_regclass('recollect.agents') IS NOT NULL AS exists",
  );
  if (!rows[0]?.exists) return [];
  const agents = await db.executeSql<{ role: string }>(
    "SELECT role_name AS role FROM recollect.agents UNION ALL SELECT schema_name FROM recollect.spare_spaces",
  );
  return agents.rows.map((row) => row.role);
}
