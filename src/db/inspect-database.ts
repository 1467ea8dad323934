import pgvector from "pgvector";
import { LACKS_RIGHTS } from "./agent/schema/lacking-rights.ts";
import type { Database, SqlExecutor } from "./database.ts";
import { DISK_FULL_SETTING } from "./disk-room.ts";
import { type LoginRights, readLoginRights } from "./login-rights.ts";
import { pendingControlMigrations } from "./migrate/control.ts";
import { SQLSTATE, sqlState } from "./pg-error.ts";

/** The properties of a database and of its login that Recollect depends on. */
export interface DatabaseState extends LoginRights {
  version: string;
  /** The version as a number, such as 170011. */
  versionNumber: number;
  database: string;
  /** Whether the login may create schemas in the database. */
  canCreateSchemas: boolean;
  /** The extension in this database, and the version that the server could enable. */
  pgvector: {
    version: string | null;
    available: string | null;
    schema: string | null;
    isFound: boolean;
    /**
     * The error or wrong result when two vectors are compared; undefined when the comparison works.
     */
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

/** Reads the state of the database. Changes nothing and needs no special rights. */
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

/**
 * Compares two vectors, and returns the fault if there is one. An enabled extension is useless when
 * its library is missing, for example after the server's image was changed.
 */
async function compareVectors(sql: SqlExecutor): Promise<string | undefined> {
  const [one, other] = [pgvector.toSql([1, 0]), pgvector.toSql([0, 1])];
  const asked = sql.executeSql<{ distance: number }>("SELECT $1::vector <=> $2::vector AS distance", [one, other]);
  const distance = await asked.then(
    ({ rows }) => rows[0]?.distance,
    (error: Error) => error.message,
  );
  return distance === 1 ? undefined : String(distance);
}

/**
 * Whether the database takes writes. "read-only" is a replica, or a server whose transactions are
 * read-only by default. "disk full" is the full disk of the embedded database.
 */
export type WriteState = "taken" | "read-only" | "disk full";

/** Reads the state with one short statement. */
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

/** Thrown to undo a trial. */
class Undo extends Error {}

/**
 * Returns whether a server's disk has no room for 600 kB, by writing them into a temporary table and
 * undoing that. Only a write tells: reads and small changes go on in the room that tables still have.
 * False when the login may not make temporary tables, or the trial fails in another way.
 */
export async function hasFullDisk(db: Database): Promise<boolean> {
  try {
    await db.transaction(async (tx) => {
      await tx.executeSql(
        `CREATE TEMPORARY TABLE recollect_trial ON COMMIT DROP AS
           SELECT md5(number::text) AS text FROM generate_series(1, 10000) AS number`,
      );
      throw new Undo();
    });
  } catch (error) {
    return sqlState(error) === SQLSTATE.diskFull;
  }
  return false;
}

/** The number of agents' roles with each fault. */
export interface RoleState {
  missing: number;
  /** Roles that lack rights on their own schema. */
  lacking: number;
  /**
   * Roles with more rights than their own schema needs: they may log in, inherit, or create roles.
   */
  powerful: number;
  /** Roles that the login may not act as. */
  unreachable: number;
}

/**
 * Counts the agents' roles that have a fault.
 *
 * @param versionNumber since Postgres 16, a membership says whether the member may act as the role
 *   (`SET`)
 */
export async function inspectAgentRoles(sql: SqlExecutor, versionNumber: number): Promise<RoleState> {
  const { rows } = await sql.executeSql<RoleState>(
    `SELECT count(*) FILTER (WHERE r.oid IS NULL)::int AS missing,
            count(*) FILTER (WHERE r.oid IS NOT NULL AND n.oid IS NOT NULL AND ${LACKS_RIGHTS})::int AS lacking,
            count(*) FILTER (WHERE r.rolcanlogin OR r.rolinherit OR r.rolsuper OR r.rolcreaterole OR r.rolcreatedb
                                   OR r.rolbypassrls OR r.rolreplication)::int AS powerful,
            count(*) FILTER (WHERE r.oid IS NOT NULL AND NOT pg_has_role(r.oid, $1))::int AS unreachable
       FROM recollect.agents a
       LEFT JOIN pg_roles r ON r.rolname = a.role_name
       LEFT JOIN pg_namespace n ON n.nspname = a.schema_name
      WHERE a.status IN ('active', 'disabled')`,
    [versionNumber >= 160_000 ? "SET" : "MEMBER"],
  );
  return rows[0] ?? { missing: 0, lacking: 0, powerful: 0, unreachable: 0 };
}
