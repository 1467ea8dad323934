import { AppError } from "../base/errors.ts";
import { ensureDefaultTenant } from "./control/tenants.ts";
import type { Database } from "./database.ts";
import { readLoginRights, tooPowerful } from "./login-rights.ts";
import { migrateControlSchema } from "./migrate/control.ts";
import { SQLSTATE, sqlState } from "./pg-error.ts";
import {
  PGVECTOR_NOT_ENABLED,
  PGVECTOR_NOT_INSTALLED,
  pgvectorFlaw,
  pgvectorHidden,
  pgvectorTooOld,
  type Trouble,
} from "./pgvector-version.ts";

/**
 * Makes a database ready to serve: pgvector present and new enough, control schema current, default tenant there. Safe
 * from many processes at once.
 *
 * @throws AppError `database_unsupported`, with the command that mends it.
 */
export async function prepareDatabase(db: Database, now: Date, onWarning: (message: string) => void): Promise<void> {
  const version = await ensurePgvector(db);
  const flaw = pgvectorFlaw(version);
  if (flaw) onWarning(sentences(flaw));
  const rights = db.kind === "postgres" ? await readLoginRights(db) : undefined;
  const power = rights && tooPowerful(rights);
  if (power) onWarning(sentences(power));
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
  const old = pgvectorTooOld(version);
  if (old) throw unsupported(old);
  return version;
}

function sentences({ what, remedy }: Trouble): string {
  return `${what} ${remedy}`;
}

function unsupported(trouble: Trouble, cause?: unknown): AppError {
  return new AppError("database_unsupported", sentences(trouble), { cause });
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
  throw unsupported(pgvectorHidden(extension.schema));
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
    if (state === SQLSTATE.insufficientPrivilege) throw unsupported(PGVECTOR_NOT_ENABLED, cause);
    if (state === SQLSTATE.undefinedFile || state === SQLSTATE.featureNotSupported)
      throw unsupported(PGVECTOR_NOT_INSTALLED, cause);
    throw cause;
  }
}
