import { AppError, takesNoWrites } from "../base/errors.ts";
import { clusterWarnings, inspectCluster, unsafeCluster } from "./citus/inspect-cluster.ts";
import { ensureDefaultTenant } from "./control/tenants.ts";
import type { Database } from "./database.ts";
import { type LoginRights, readLoginRights, tooPowerful, tooWeak } from "./login-rights.ts";
import { hasControlSchema, migrateControlSchema } from "./migrate/control.ts";
import { orphanedAgents } from "./orphaned-agents.ts";
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
 * Makes a database ready to serve: pgvector is present and new enough, the control schema is
 * current, and the default tenant exists. Many processes may do this at once.
 *
 * @throws AppError `database_unsupported`, with the command that mends it; `database_full` or
 *   `database_read_only` when nothing can be written
 */
export async function prepareDatabase(db: Database, now: Date, onWarning: (message: string) => void): Promise<void> {
  const { pgvector, citus } = await ensureExtensions(db);
  const flaw = pgvectorFlaw(pgvector);
  if (flaw) onWarning(sentences(flaw));
  if (citus !== undefined) await requireSafeCluster(db, citus, onWarning);
  const rights = db.kind === "postgres" ? await readLoginRights(db) : undefined;
  const power = rights && tooPowerful(rights);
  if (power) onWarning(sentences(power));
  await requireVectorType(db);
  const orphaned = (await hasControlSchema(db)) ? undefined : await orphanedAgents(db);
  if (orphaned) throw unsupported(orphaned);
  await migrateControlSchema(db).catch((cause: unknown) => {
    if (takesNoWrites(cause)) throw cannotStart(cause);
    if (sqlState(cause) !== SQLSTATE.insufficientPrivilege) throw cause;
    throw new AppError(
      "database_unsupported",
      "The database login may not create schemas here. As the database's owner run: GRANT CREATE ON DATABASE <database> TO <login>; and give the login CREATEROLE.",
      { cause },
    );
  });
  await ensureDefaultTenant(db, now);
  if (rights) await requireRoles(db, rights, onWarning);
}

/**
 * Checks that the login can make a role for an agent. The agents that exist go on without this right, so only a
 * database without agents refuses to start.
 */
async function requireRoles(db: Database, rights: LoginRights, onWarning: (message: string) => void): Promise<void> {
  const weak = tooWeak(rights);
  if (!weak) return;
  const { rows } = await db.executeSql<{ hasAgents: boolean }>(
    `SELECT EXISTS (SELECT FROM recollect.agents) AS "hasAgents"`,
  );
  if (!rows[0]?.hasAgents) throw unsupported(weak);
  onWarning(sentences(weak));
}

/** A start writes: it looks for pending migrations under a lock, and installs the queue. */
function cannotStart(cause: AppError): AppError {
  const { code } = cause;
  const message =
    code === "database_full"
      ? "The database's disk is full, and Recollect cannot start until the operator has made room; an embedded database needs 32 MB. Acknowledged writes are not lost."
      : `Recollect cannot start here. ${cause.message}`;
  return new AppError(code, message, { cause });
}

async function ensureExtensions(db: Database): Promise<{ pgvector: string; citus: string | undefined }> {
  let versions = await extensionVersions(db);
  if (!versions.has("vector")) {
    await createPgvector(db);
    versions = await extensionVersions(db);
  }
  const pgvector = versions.get("vector") ?? "";
  const old = pgvectorTooOld(pgvector);
  if (old) throw unsupported(old);
  return { pgvector, citus: versions.get("citus") };
}

/**
 * Checks the coordinator of a cluster. The service does not start if the SQL of one agent could
 * read another agent's data.
 */
async function requireSafeCluster(db: Database, version: string, onWarning: (message: string) => void): Promise<void> {
  const state = await inspectCluster(db, version, { sizes: false });
  const unsafe = unsafeCluster(state);
  if (unsafe) throw unsupported(unsafe);
  for (const warning of clusterWarnings(state)) onWarning(sentences(warning));
}

function sentences({ what, remedy }: Trouble): string {
  return `${what} ${remedy}`;
}

function unsupported(trouble: Trouble, cause?: unknown): AppError {
  return new AppError("database_unsupported", sentences(trouble), { cause });
}

/**
 * Requires that the type is found without its schema's name, by this login now and by the agents'
 * roles later. Supabase's dashboard puts extensions into a schema `extensions`, which is on the
 * search_path of its own logins only.
 */
async function requireVectorType(db: Database): Promise<void> {
  const { rows } = await db.executeSql<{ schema: string; found: boolean }>(
    `SELECT n.nspname AS schema, to_regtype('vector') IS NOT NULL AS found
       FROM pg_extension e
       JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE e.extname = 'vector'`,
  );
  const [extension] = rows;
  if (!extension || extension.found) return;
  throw unsupported(pgvectorHidden(extension.schema));
}

async function extensionVersions(db: Database): Promise<Map<string, string>> {
  const { rows } = await db.executeSql<{ name: string; version: string }>(
    "SELECT extname AS name, extversion AS version FROM pg_extension WHERE extname IN ('vector', 'citus')",
  );
  return new Map(rows.map(({ name, version }) => [name, version]));
}

async function createPgvector(db: Database): Promise<void> {
  try {
    await db.executeSql("CREATE EXTENSION IF NOT EXISTS vector");
  } catch (cause) {
    const state = sqlState(cause);
    // When two processes create the extension at once, one of them meets the other's row, and the
    // extension exists.
    if (state === SQLSTATE.uniqueViolation || state === SQLSTATE.duplicateObject) return;
    if (state === SQLSTATE.insufficientPrivilege) throw unsupported(PGVECTOR_NOT_ENABLED, cause);
    if (state === SQLSTATE.undefinedFile || state === SQLSTATE.featureNotSupported)
      throw unsupported(PGVECTOR_NOT_INSTALLED, cause);
    throw cause;
  }
}
