import type { SqlExecutor } from "./database.ts";
import type { Trouble } from "./pgvector-version.ts";

/** The rights of the login that the service uses. */
export interface LoginRights {
  login: string;
  isSuperuser: boolean;
  canCreateRoles: boolean;
  bypassesRowSecurity: boolean;
}

/** Reads the rights of this connection's login. */
export async function readLoginRights(sql: SqlExecutor): Promise<LoginRights | undefined> {
  const { rows } = await sql.executeSql<LoginRights>(
    `SELECT rolname AS login, rolsuper AS "isSuperuser", rolcreaterole OR rolsuper AS "canCreateRoles",
            rolbypassrls AS "bypassesRowSecurity"
       FROM pg_roles
      WHERE rolname = current_user`,
  );
  return rows[0];
}

/**
 * Returns the trouble with a login that may do more than the service needs; undefined for other
 * logins. The isolation between agents also stops a fault of the service from reaching the rest of
 * the server, unless its login is a superuser.
 */
export function tooPowerful({ login, isSuperuser, bypassesRowSecurity }: LoginRights): Trouble | undefined {
  if (!isSuperuser && !bypassesRowSecurity) return undefined;
  const what = isSuperuser ? "a superuser" : "free of row security";
  return {
    what: `The login ${login} is ${what}. Recollect does not need that, and it weakens the isolation between agents.`,
    remedy: "Make a login for Recollect: CREATE ROLE recollect LOGIN CREATEROLE; see docs/ISOLATION.md.",
  };
}

/** Returns the trouble with a login that cannot make a role for each agent; undefined for other logins. */
export function tooWeak({ login, canCreateRoles }: LoginRights): Trouble | undefined {
  if (canCreateRoles) return undefined;
  return {
    what: `The login ${login} lacks CREATEROLE, which it needs to create a role for every agent.`,
    remedy: `As a superuser run: ALTER ROLE ${login} CREATEROLE;`,
  };
}

/**
 * The statements with which a superuser makes the login of docs/ISOLATION.md, in the database
 * `recollect` of a test container.
 */
export const LOGIN_FOR_TESTS: readonly string[] = [
  "CREATE ROLE recollect LOGIN CREATEROLE PASSWORD 'recollect'",
  "ALTER DATABASE recollect OWNER TO recollect",
  "CREATE EXTENSION vector",
];
