import { createHmac } from "node:crypto";
import type { Database, SqlExecutor } from "../database.ts";
import { CLUSTER_SCHEMA, DATA_ROLE } from "./acting.ts";

/** A server of the cluster, by the address that the other servers use. */
export interface NodeAddress {
  host: string;
  port: number;
}

/** The login that the service runs as. */
export interface ServiceLogin {
  name: string;
  password: string;
}

/**
 * Connects to the servers of a cluster as a superuser. Each call opens a connection that the caller
 * closes.
 */
export interface ClusterServers {
  readonly database: string;
  coordinator(): Database;
  /**
   * Opens a connection to a node.
   *
   * @param database default: the cluster's database. Changes to another database do not reach other
   *   nodes
   */
  node(address: NodeAddress, database?: string): Database;
}

/**
 * The roles that must be the same on all of the cluster's nodes, with the attributes for `CREATE
 * ROLE`.
 */
const ROLES = `SELECT rolname AS name, rolcanlogin AS "canLogin", rolcreaterole AS "canCreateRoles", rolpassword AS password
  FROM pg_authid
 WHERE rolname IN ($1, $2)
    OR rolname ~ '^agent_[0-9a-f]{12}$'
 ORDER BY rolname`;

interface RoleRow {
  name: string;
  canLogin: boolean;
  canCreateRoles: boolean;
  password: string | null;
}

/** Creates the database on a node that is about to join. */
export async function makeDatabase(server: SqlExecutor, database: string): Promise<void> {
  const sql =
    "SELECT format('CREATE DATABASE %I', $1::text) AS sql WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = $1)";
  const { rows } = await server.executeSql<{ sql: string }>(sql, [database]);
  if (rows[0]) await server.executeSql(rows[0].sql);
}

/**
 * Creates the extensions of a server. `secrets` are stored in between: if the server already has
 * other nodes, Citus connects to them with the superuser's password to create the second extension
 * there.
 */
export async function makeExtensions(server: SqlExecutor, secrets: ReadonlyMap<string, string>): Promise<void> {
  await server.executeSql("CREATE EXTENSION IF NOT EXISTS citus");
  await storeSecrets(server, secrets);
  await server.executeSql("CREATE EXTENSION IF NOT EXISTS vector");
}

/** Returns a password in the form of a connection parameter. */
export function secretOf(password: string): string {
  return `password='${password.replace(/[\\']/g, "\\$&")}'`;
}

/** Returns the password from the result of `secretOf`. */
export function passwordOf(secret: string): string {
  return secret.replace(/^password='|'$/g, "").replace(/\\(.)/g, "$1");
}

/**
 * Stores the passwords with which a server connects to the other servers, one for each role, in the
 * form of `secretOf`. The roles must exist.
 */
export async function storeSecrets(server: SqlExecutor, secrets: ReadonlyMap<string, string>): Promise<void> {
  for (const [role, secret] of secrets)
    await server.executeSql(
      `INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
       VALUES (0, $1, $2)
       ON CONFLICT (nodeid, rolename) DO UPDATE SET authinfo = excluded.authinfo`,
      [role, secret],
    );
}

/** Reads the passwords that a server has stored for its connections to other servers, by role. */
export async function storedSecrets(server: SqlExecutor): Promise<Map<string, string>> {
  const { rows } = await server.executeSql<{ role: string; secret: string }>(
    "SELECT rolename::text AS role, authinfo AS secret FROM pg_dist_authinfo WHERE nodeid = 0",
  );
  return new Map(rows.map(({ role, secret }) => [role, secret]));
}

/**
 * Returns the data role's password: the stored one if there is one, as roles belong to all
 * databases of a server and a new password would lock out the other servers' connections. On a new
 * cluster it is derived from the login's password, so no operator has to know it.
 */
export async function dataRolePassword(coordinator: SqlExecutor, login: ServiceLogin): Promise<string> {
  const stored = (await storedSecrets(coordinator)).get(DATA_ROLE);
  return stored === undefined
    ? createHmac("sha256", login.password).update(DATA_ROLE).digest("base64url")
    : passwordOf(stored);
}

/**
 * Tells a server its own name among the nodes. To move agents, Citus also connects to its own
 * server, by default as `localhost`, which the certificates do not name. A name that the operator
 * has set stays.
 */
export async function nameLocalHost(server: SqlExecutor, { host }: NodeAddress): Promise<void> {
  const { rows } = await server.executeSql<{ sql: string }>(
    `SELECT format('ALTER SYSTEM SET citus.local_hostname TO %L', $1::text) AS sql
      WHERE current_setting('citus.local_hostname') = 'localhost'`,
    [host],
  );
  if (!rows[0]) return;
  await server.executeSql(rows[0].sql);
  await server.executeSql("SELECT pg_reload_conf()");
}

/**
 * Lets Citus look every five seconds for commits that a worker has not carried out because it died.
 * Until such a commit is settled, the acknowledged write is not readable on the worker, and the
 * agent's next writes wait for its rows. By default Citus looks once a minute. An interval that the
 * operator has set stays.
 */
export async function settleCommitsSoon(coordinator: SqlExecutor): Promise<void> {
  const { rows } = await coordinator.executeSql(
    "SELECT FROM pg_settings WHERE name = 'citus.recover_2pc_interval' AND source = 'default'",
  );
  if (rows.length === 0) return;
  await coordinator.executeSql("ALTER SYSTEM SET citus.recover_2pc_interval TO '5s'");
  await coordinator.executeSql("SELECT pg_reload_conf()");
}

/**
 * Registers the coordinator under the address by which the nodes reach it, and keeps agents off it.
 */
export async function nameCoordinator(coordinator: SqlExecutor, { host, port }: NodeAddress): Promise<void> {
  const { rows } = await coordinator.executeSql<{ known: boolean }>(
    "SELECT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0 AND nodename = $1 AND nodeport = $2) AS known",
    [host, port],
  );
  if (!rows[0]?.known) await coordinator.executeSql("SELECT citus_set_coordinator_host($1, $2)", [host, port]);
  await coordinator.executeSql(
    "SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) FROM pg_dist_node WHERE groupid = 0",
  );
}

/**
 * Checks the coordinator's list of nodes.
 *
 * @returns whether the node already belongs to the cluster
 */
export async function isMember(coordinator: SqlExecutor, { host, port }: NodeAddress): Promise<boolean> {
  const sql = "SELECT 1 FROM pg_dist_node WHERE nodename = $1 AND nodeport = $2 AND isactive";
  const { rows } = await coordinator.executeSql(sql, [host, port]);
  return rows.length > 0;
}

/**
 * Lets a prepared node join.
 *
 * @param options.reserved whether the node takes no new agents, only agents that are moved to it
 */
export async function joinNode(
  coordinator: SqlExecutor,
  node: NodeAddress,
  options: { reserved: boolean },
): Promise<void> {
  await coordinator.executeSql("SELECT citus_add_node($1, $2)", [node.host, node.port]);
  await setTakesAgents(coordinator, node, !options.reserved);
}

/** Sets whether new agents are placed on a node. */
export async function setTakesAgents(
  coordinator: SqlExecutor,
  { host, port }: NodeAddress,
  takes: boolean,
): Promise<void> {
  const sql = "SELECT citus_set_node_property($1, $2, 'shouldhaveshards', $3)";
  await coordinator.executeSql(sql, [host, port, takes]);
}

/** Creates the two logins on the coordinator, or sets their passwords. */
export async function makeLogins(coordinator: SqlExecutor, login: ServiceLogin, dataPassword: string): Promise<void> {
  const make = async (name: string, attributes: string, password: string) => {
    const { rows } = await coordinator.executeSql<{ sql: string }>(
      `SELECT format('%s ROLE %I ${attributes} PASSWORD %L', CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = $1) THEN 'ALTER' ELSE 'CREATE' END,
                     $1::text, $2::text) AS sql`,
      [name, password],
    );
    await coordinator.executeSql(rows[0]?.sql ?? "");
  };
  await make(login.name, "LOGIN CREATEROLE NOSUPERUSER NOCREATEDB NOBYPASSRLS", login.password);
  await make(DATA_ROLE, "LOGIN NOCREATEROLE NOSUPERUSER NOCREATEDB NOBYPASSRLS", dataPassword);
}

/**
 * Gives the service's login the database, the data role, the table of `MARK_COMMIT`, and the right
 * to choose the node of new schemas.
 */
export async function giveRights(coordinator: SqlExecutor, database: string, login: string): Promise<void> {
  const name = await quoted(coordinator, login);
  await coordinator.executeSql(`GRANT ${DATA_ROLE} TO ${name}`);
  await coordinator.executeSql(`ALTER DATABASE ${await quoted(coordinator, database)} OWNER TO ${name}`);
  await coordinator.executeSql(`CREATE SCHEMA IF NOT EXISTS ${CLUSTER_SCHEMA}`);
  await coordinator.executeSql(`CREATE TABLE IF NOT EXISTS ${CLUSTER_SCHEMA}.commit_marker (id integer PRIMARY KEY)`);
  await coordinator.executeSql(
    `SELECT citus_add_local_table_to_metadata('${CLUSTER_SCHEMA}.commit_marker')
      WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = '${CLUSTER_SCHEMA}.commit_marker'::regclass)`,
  );
  await coordinator.executeSql(`GRANT USAGE ON SCHEMA ${CLUSTER_SCHEMA} TO ${name}`);
  await coordinator.executeSql(`GRANT SELECT, DELETE ON ${CLUSTER_SCHEMA}.commit_marker TO ${name}`);
  // Needed by `aimAtEmptiestNode`.
  await coordinator.executeSql(`GRANT USAGE ON SEQUENCE pg_catalog.pg_dist_colocationid_seq TO ${name}`);
}

/**
 * Copies to a node the coordinator's roles that the node needs before it can join: Citus 13 fails
 * at their memberships on Postgres 17.
 *
 * @returns the number of roles that were missing
 */
export async function copyRoles(coordinator: SqlExecutor, node: SqlExecutor, login: string): Promise<number> {
  const { rows: wanted } = await coordinator.executeSql<RoleRow>(ROLES, [login, DATA_ROLE]);
  const { rows: there } = await node.executeSql<{ name: string }>("SELECT rolname AS name FROM pg_roles");
  const known = new Set(there.map(({ name }) => name));
  const missing = wanted.filter(({ name }) => !known.has(name));
  for (const role of missing) {
    const { rows } = await node.executeSql<{ sql: string }>(
      `SELECT format('CREATE ROLE %I NOINHERIT %s %s %s', $1::text, CASE WHEN $2 THEN 'LOGIN' ELSE 'NOLOGIN' END,
                     CASE WHEN $3 THEN 'CREATEROLE' ELSE '' END, CASE WHEN $4::text IS NULL THEN '' ELSE format('PASSWORD %L', $4) END) AS sql`,
      [role.name, role.canLogin, role.canCreateRoles, role.password],
    );
    await node.executeSql(rows[0]?.sql ?? "");
  }
  const agents = wanted.filter(({ canLogin }) => !canLogin).map(({ name }) => `"${name}"`);
  // On the coordinator, the service's login grants these memberships, and Citus repeats them with
  // it as the grantor.
  if (agents.length > 0) {
    await node.executeSql(`GRANT ${agents.join(", ")} TO ${DATA_ROLE} WITH INHERIT FALSE, SET TRUE`);
    await node.executeSql(
      `GRANT ${agents.join(", ")} TO ${await quoted(node, login)} WITH ADMIN TRUE, INHERIT FALSE, SET TRUE`,
    );
  }
  return missing.length;
}

/**
 * Makes the data role of a worker inherit nothing: there it may only act as one agent, and never
 * read the tables of all agents. On the coordinator the role inherits, because Citus checks there
 * whether the current role may read a table. The tables there are empty.
 */
export async function hardenNode(node: SqlExecutor, isCoordinator: boolean): Promise<void> {
  await node.executeSql(`ALTER ROLE ${DATA_ROLE} ${isCoordinator ? "INHERIT" : "NOINHERIT"}`);
  const { rows: grants } = await node.executeSql<{ role: string; grantor: string }>(
    `SELECT quote_ident(a.rolname) AS role, quote_ident(g.rolname) AS grantor
       FROM pg_auth_members m
       JOIN pg_roles a ON a.oid = m.roleid
       JOIN pg_roles d ON d.oid = m.member
       JOIN pg_roles g ON g.oid = m.grantor
      WHERE d.rolname = $1
        AND m.inherit_option <> $2`,
    [DATA_ROLE, isCoordinator],
  );
  const byGrantor = Map.groupBy(grants, ({ grantor }) => grantor);
  for (const [grantor, of] of byGrantor)
    await node.executeSql(
      `GRANT ${of.map(({ role }) => role).join(", ")} TO ${DATA_ROLE} WITH INHERIT ${isCoordinator} GRANTED BY ${grantor}`,
    );
}

/**
 * Lets the service's login build an index on a worker with as much memory as on a single server
 * (`chunks/vector-index.ts`). The settings of its session on the coordinator do not reach the
 * worker, where Postgres's default is 64 MB.
 */
export async function giveBuildMemory(worker: SqlExecutor, login: string): Promise<void> {
  const { rows } = await worker.executeSql<{ sql: string }>(
    `SELECT format('ALTER ROLE %I IN DATABASE %I SET maintenance_work_mem TO %L', $1::text, current_database(),
                   greatest(pg_size_bytes(current_setting('maintenance_work_mem')), pg_size_bytes(current_setting('shared_buffers'))) / 1024 || 'kB') AS sql`,
    [login],
  );
  await worker.executeSql(rows[0]?.sql ?? "");
}

async function quoted(sql: SqlExecutor, name: string): Promise<string> {
  const { rows } = await sql.executeSql<{ name: string }>("SELECT quote_ident($1) AS name", [name]);
  return rows[0]?.name ?? "";
}

/** Runs `fn` and closes the connection. */
export async function on<T>(db: Database, fn: (db: Database) => Promise<T>): Promise<T> {
  try {
    return await fn(db);
  } finally {
    await db.close();
  }
}
