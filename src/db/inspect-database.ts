import pgvector from "pgvector";
import type { SqlExecutor } from "./database.ts";
import { DISK_FULL_SETTING } from "./disk-room.ts";
import { type LoginRights, readLoginRights } from "./login-rights.ts";
import { pendingControlMigrations } from "./migrate/control.ts";

/** What a database and the login on it are, as far as Recollect depends on it. */
export interface DatabaseState extends LoginRights {
  version: string;
  /** Such as 170011. */
  versionNumber: number;
  database: string;
  /** Whether the login may create schemas in the database. */
  canCreateSchemas: boolean;
  /** Of the extension in this database, and of the one that the server could enable. */
  pgvector: {
    version: string | null;
    available: string | null;
    schema: string | null;
    isFound: boolean;
    /** What it says when it is to compare two vectors; undefined: it does. */
    fault: string | undefined;
  };
  now: Date;
  writes: WriteState;
  control: { pending: number; isNewer: boolean; isEmpty: boolean };
}

interface FactsRow extends Omit<DatabaseState, keyof LoginRights | "pgvector" | "control" | "writes"> {
  installed: string | null;
  available: string | null;
  schema: string | null;
  isFound: boolean;
}

/** Reads the facts; changes nothing, needs no rights of its own. */
export async function inspectDatabase(sql: SqlExecutor): Promise<DatabaseState> {
  const { rows } = await sql.executeSql<FactsRow>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS "versionNumber",
            current_database() AS database, has_database_privilege(current_database(), 'CREATE') AS "canCreateSchemas",
            e.extversion AS installed, a.default_version AS available, n.nspname AS schema,
            to_regtype('vector') IS NOT NULL AS "isFound", clock_timestamp() AS now
       FROM (SELECT) one
       LEFT JOIN pg_extension e ON e.extname = 'vector'
       LEFT JOIN pg_namespace n ON n.oid = e.extnamespace
       LEFT JOIN pg_available_extensions a ON a.name = 'vector'`,
  );
  const [row] = rows;
  const rights = await readLoginRights(sql);
  if (!row || !rights) throw new Error("The login has no row in pg_roles.");
  const { installed, available, schema, isFound, ...facts } = row;
  const control = await pendingControlMigrations(sql);
  const fault = isFound ? await compareVectors(sql) : undefined;
  const writes = await writeState(sql);
  return {
    ...facts,
    ...rights,
    pgvector: { version: installed, available, schema, isFound, fault },
    writes,
    control,
  };
}

/** An extension that is enabled is of no use when its library is gone, as after the server's image was changed. */
async function compareVectors(sql: SqlExecutor): Promise<string | undefined> {
  const [one, other] = [pgvector.toSql([1, 0]), pgvector.toSql([0, 1])];
  const asked = sql.executeSql<{ distance: number }>("SELECT $1::vector <=> $2::vector AS distance", [one, other]);
  const distance = await asked.then(
    ({ rows }) => rows[0]?.distance,
    (error: Error) => error.message,
  );
  return distance === 1 ? undefined : String(distance);
}

/** Whether writes are taken, or why not: a replica or transactions that are read-only by default, or the full disk of the embedded database. */
export type WriteState = "taken" | "read-only" | "disk full";

/** One short statement. */
export async function writeState(sql: SqlExecutor, limitMs?: number): Promise<WriteState> {
  const { rows } = await sql.executeSql<{ readOnly: boolean; diskFull: boolean }>(
    `SELECT current_setting('transaction_read_only')::boolean AS "readOnly",
            current_setting('${DISK_FULL_SETTING}', true) = 'on' AS "diskFull"`,
    [],
    { limitMs },
  );
  if (rows[0]?.readOnly !== true) return "taken";
  return rows[0].diskFull ? "disk full" : "read-only";
}

/** What is wrong with the roles of the agents. */
export interface RoleState {
  missing: number;
  /** May do more than their own schema: log in, inherit, make roles. */
  powerful: number;
  /** The login may not act as them. */
  unreachable: number;
}

/** @param versionNumber from 16 on a membership says whether it may be acted under (`SET`) */
export async function inspectAgentRoles(sql: SqlExecutor, versionNumber: number): Promise<RoleState> {
  const { rows } = await sql.executeSql<RoleState>(
    `SELECT count(*) FILTER (WHERE r.oid IS NULL)::int AS missing,
            count(*) FILTER (WHERE r.rolcanlogin OR r.rolinherit OR r.rolsuper OR r.rolcreaterole OR r.rolcreatedb
                                   OR r.rolbypassrls OR r.rolreplication)::int AS powerful,
            count(*) FILTER (WHERE r.oid IS NOT NULL AND NOT pg_has_role(r.oid, $1))::int AS unreachable
       FROM recollect.agents a LEFT JOIN pg_roles r ON r.rolname = a.role_name
      WHERE a.status IN ('active', 'disabled')`,
    [versionNumber >= 160_000 ? "SET" : "MEMBER"],
  );
  return rows[0] ?? { missing: 0, powerful: 0, unreachable: 0 };
}
