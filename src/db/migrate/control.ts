import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { AppError } from "../../base/errors.ts";
import type { Database, SqlExecutor } from "../database.ts";
import { SQLSTATE, sqlState } from "../pg-error.ts";
import type { Trouble } from "../pgvector-version.ts";

/**
 * The advisory lock's number, the same for all processes that install or upgrade the control
 * schema.
 */
const CONTROL_MIGRATION_LOCK = 7_203_114_901;

/** The state of a database whose schema `recollect` our migrations have not made, or not completely. */
export const SCHEMA_NOT_OURS: Trouble = {
  what: "The schema recollect of this database is not as a Recollect leaves it: it belongs to another program, or a restore of it was interrupted.",
  remedy: "Restore the database from a backup, or name another database in DATABASE_URL.",
};

const TOO_NEW = "This database was migrated by a newer Recollect; start that version or a newer one.";

const folder = fileURLToPath(new URL("../../../drizzle", import.meta.url));

/**
 * Brings the control schema to this binary's version; does nothing when it already has it. All
 * pending migrations run in one transaction under an advisory lock, so twenty processes may start
 * at once.
 *
 * Drizzle's own migrator is not used: it neither locks nor runs in our transaction, so two
 * processes would collide.
 *
 * @throws AppError `schema_too_new` when the database was migrated by a newer Recollect;
 *   `database_unsupported` when its schema `recollect` is not ours
 */
export async function migrateControlSchema(db: Database): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  const migrating = db.transaction(async (tx) => {
    await tx.executeSql("SELECT pg_advisory_xact_lock($1)", [CONTROL_MIGRATION_LOCK]);
    const applied = await appliedMigrations(tx);
    const known = new Set(migrations.map((migration) => migration.hash));
    if ([...applied].some((hash) => !known.has(hash))) {
      throw new AppError("schema_too_new", TOO_NEW);
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
  await migrating.catch(throwIfNotOurs);
}

/**
 * Checks that the control schema has exactly this binary's version, for a command that works on the
 * tables without preparing the database.
 *
 * @throws AppError `config_invalid` if the schema is missing or older; `schema_too_new`;
 *   `database_unsupported`
 */
export async function requireControlSchema(sql: SqlExecutor): Promise<void> {
  const { pending, isNewer, isEmpty } = await pendingControlMigrations(sql);
  if (isEmpty) throw notPrepared("No Recollect has stored anything in the Postgres database that DATABASE_URL names");
  if (isNewer) throw new AppError("schema_too_new", TOO_NEW);
  if (pending > 0)
    throw notPrepared("The Postgres database that DATABASE_URL names lacks migrations of this Recollect");
}

/** Returns the error of a command that makes no database, about a database that is not prepared. */
export function notPrepared(what: string): AppError {
  return new AppError(
    "config_invalid",
    `${what}, and this command prepares no database. If the URL is right, run \`recollect serve\` or \`recollect migrate\` first.`,
  );
}

/** The errors of SQL that meets other tables than our migrations have made. */
const NOT_OURS: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.undefinedTable,
  SQLSTATE.undefinedColumn,
  SQLSTATE.duplicateTable,
  SQLSTATE.duplicateColumn,
  SQLSTATE.duplicateObject,
]);

function throwIfNotOurs(cause: unknown): never {
  if (!NOT_OURS.has(sqlState(cause))) throw cause;
  throw new AppError("database_unsupported", `${SCHEMA_NOT_OURS.what} ${SCHEMA_NOT_OURS.remedy}`, { cause });
}

/** Reads how many migrations of the control schema are pending, without changing it. */
export async function pendingControlMigrations(
  sql: SqlExecutor,
): Promise<{ pending: number; isNewer: boolean; isEmpty: boolean }> {
  const known = readMigrationFiles({ migrationsFolder: folder }).map((migration) => migration.hash);
  if (!(await hasControlSchema(sql))) return { pending: known.length, isNewer: false, isEmpty: true };
  const asked = sql.executeSql<{ hash: string }>("SELECT hash FROM recollect.control_migrations");
  const read = await asked.catch(throwIfNotOurs);
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
