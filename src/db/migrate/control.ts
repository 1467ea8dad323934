import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { AppError } from "../../base/errors.ts";
import type { Database, SqlExecutor } from "../database.ts";

/**
 * The advisory lock's number, the same for all processes that install or upgrade the control
 * schema.
 */
const CONTROL_MIGRATION_LOCK = 7_203_114_901;

const folder = fileURLToPath(new URL("../../../drizzle", import.meta.url));

/**
 * Brings the control schema to this binary's version; does nothing when it already has it. All
 * pending migrations run in one transaction under an advisory lock, so twenty processes may start
 * at once.
 *
 * Drizzle's own migrator is not used: it neither locks nor runs in our transaction, so two
 * processes would collide.
 *
 * @throws AppError `schema_too_new` when the database was migrated by a newer Recollect.
 */
export async function migrateControlSchema(db: Database): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  await db.transaction(async (tx) => {
    await tx.executeSql("SELECT pg_advisory_xact_lock($1)", [CONTROL_MIGRATION_LOCK]);
    const applied = await appliedMigrations(tx);
    const known = new Set(migrations.map((migration) => migration.hash));
    if ([...applied].some((hash) => !known.has(hash))) {
      throw new AppError(
        "schema_too_new",
        "This database was migrated by a newer Recollect; start that version or a newer one.",
      );
    }
    for (const migration of migrations) {
      if (applied.has(migration.hash)) continue;
      for (const statement of migration.sql) await tx.executeSql(statement);
      await tx.executeSql("INSERT INTO recollect.control_migrations (hash, created_at) VALUES ($1, $2)", [
        migration.hash,
        new Date(migration.folderMillis),
      ]);
    }
  });
}

/** Reads how many migrations of the control schema are pending, without changing it. */
export async function pendingControlMigrations(
  sql: SqlExecutor,
): Promise<{ pending: number; isNewer: boolean; isEmpty: boolean }> {
  const known = readMigrationFiles({ migrationsFolder: folder }).map((migration) => migration.hash);
  if (!(await hasControlSchema(sql))) return { pending: known.length, isNewer: false, isEmpty: true };
  const read = await sql.executeSql<{ hash: string }>("SELECT hash FROM recollect.control_migrations");
  const applied = new Set(read.rows.map((row) => row.hash));
  const isNewer = [...applied].some((hash) => !known.includes(hash));
  return { pending: known.filter((hash) => !applied.has(hash)).length, isNewer, isEmpty: false };
}

/** Returns whether any Recollect has installed its control schema in the database. */
export async function hasControlSchema(sql: SqlExecutor): Promise<boolean> {
  const { rows } = await sql.executeSql<{ found: boolean }>(
    "SELECT to_regclass('recollect.control_migrations') IS NOT NULL AS found",
  );
  return rows[0]?.found ?? false;
}

async function appliedMigrations(tx: SqlExecutor): Promise<Set<string>> {
  await tx.executeSql("CREATE SCHEMA IF NOT EXISTS recollect");
  await tx.executeSql(
    "CREATE TABLE IF NOT EXISTS recollect.control_migrations (hash text PRIMARY KEY, created_at timestamptz NOT NULL)",
  );
  const { rows } = await tx.executeSql<{ hash: string }>("SELECT hash FROM recollect.control_migrations");
  return new Set(rows.map((row) => row.hash));
}
