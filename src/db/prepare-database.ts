import { AppError } from "../base/errors.ts";
import { ensureDefaultTenant } from "./control/tenants.ts";
import type { Database } from "./database.ts";
import { migrateControlSchema } from "./migrate/control.ts";
import { SQLSTATE, sqlState } from "./pg-error.ts";

/** Iterative index scans, without which a filtered vector search comes back short, appeared in pgvector 0.8.0. */
const MIN_PGVECTOR = [0, 8, 0] as const;
/** CVE-2026-3172 (parallel HNSW builds) is fixed in 0.8.2. */
const SAFE_PGVECTOR = [0, 8, 2] as const;

/**
 * Makes a database ready to serve: pgvector present and new enough, control schema current, default tenant there. Safe
 * from many processes at once.
 *
 * @throws AppError `database_unsupported`, with the command that mends it.
 */
export async function prepareDatabase(db: Database, now: Date, onWarning: (message: string) => void): Promise<void> {
  const version = await ensurePgvector(db);
  if (isBelow(version, SAFE_PGVECTOR)) {
    onWarning(
      `pgvector ${version} has a known flaw in parallel index builds (CVE-2026-3172); upgrade it to 0.8.4 or newer.`,
    );
  }
  await requireVectorType(db);
  await migrateControlSchema(db).catch((cause: unknown) => {
    if (sqlState(cause) !== SQLSTATE.insufficientPrivilege) throw cause;
    throw new AppError(
      "database_unsupported",
      "The database login may not create schemas here. As the database's owner run: GRANT CREATE ON DATABASE <database> TO <login>; and give the login CREATEROLE.",
      { cause },
    );
  });
  await ensureDefaultTenant(db, now);
}

async function ensurePgvector(db: Database): Promise<string> {
  let version = await pgvectorVersion(db);
  if (version === undefined) {
    await createPgvector(db);
    version = (await pgvectorVersion(db)) ?? "";
  }
  if (isBelow(version, MIN_PGVECTOR)) {
    throw new AppError(
      "database_unsupported",
      `pgvector ${version} is too old; Recollect needs 0.8.0 or newer. Install it on the server and run: ALTER EXTENSION vector UPDATE;`,
    );
  }
  return version;
}

/**
 * The type has to be found without its schema's name, by this login now and by the agents' roles later. Supabase's dashboard
 * puts extensions into a schema `extensions`, which is on the search_path of its own logins only.
 */
async function requireVectorType(db: Database): Promise<void> {
  const { rows } = await db.executeSql<{ schema: string; found: boolean }>(
    `SELECT n.nspname AS schema, to_regtype('vector') IS NOT NULL AS found
       FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`,
  );
  const [extension] = rows;
  if (!extension || extension.found) return;
  throw new AppError(
    "database_unsupported",
    `pgvector is enabled in the schema '${extension.schema}', which is not on the search_path of the database login. As the extension's owner run: ALTER EXTENSION vector SET SCHEMA public;`,
  );
}

async function pgvectorVersion(db: Database): Promise<string | undefined> {
  const { rows } = await db.executeSql<{ version: string }>(
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'vector'",
  );
  return rows[0]?.version;
}

async function createPgvector(db: Database): Promise<void> {
  try {
    await db.executeSql("CREATE EXTENSION IF NOT EXISTS vector");
  } catch (cause) {
    const state = sqlState(cause);
    // Two processes that create it at once: one of them meets the other's row, and the extension is there.
    if (state === SQLSTATE.uniqueViolation || state === SQLSTATE.duplicateObject) return;
    if (state === SQLSTATE.insufficientPrivilege) {
      throw new AppError(
        "database_unsupported",
        "The extension pgvector is not enabled. As a superuser run in this database: CREATE EXTENSION vector;",
        { cause },
      );
    }
    if (state === SQLSTATE.undefinedFile || state === SQLSTATE.featureNotSupported) {
      throw new AppError(
        "database_unsupported",
        "The extension pgvector is not installed on this Postgres server. Install it (Debian: apt-get install postgresql-17-pgvector; Docker: use the image pgvector/pgvector:pg17) and run: CREATE EXTENSION vector;",
        { cause },
      );
    }
    throw cause;
  }
}

function isBelow(version: string, minimum: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of minimum.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}
