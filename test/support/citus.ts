import { randomBytes } from "node:crypto";
import { readConfig } from "../../src/config/config.ts";
import { DATA_ROLE } from "../../src/db/citus/acting.ts";
import { type NodeAddress, on, storedSecrets, storeSecrets } from "../../src/db/citus/build-cluster.ts";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { runCluster } from "../../src/start/cluster.ts";
import type { TestDatabase } from "./database.ts";

/**
 * A login for the tests only: `cluster init` sets its password on every server, and must not lock
 * out a service that uses the cluster.
 */
const LOGIN = "recollect_citus_tests";
const PASSWORD = "for-tests-only";

/**
 * A database for one test file, on a cluster. TEST_CITUS_URL names the coordinator and a database
 * of it, as a superuser.
 */
export interface ClusterDatabase extends TestDatabase {
  url: string;
  /** The environment that `recollect cluster` reads. */
  env: { DATABASE_URL: string; RECOLLECT_CLUSTER_ADMIN_URL: string };
  workers: NodeAddress[];
  /** All workers of the cluster, including workers that have not joined. */
  allWorkers: NodeAddress[];
  /** Runs SQL as the superuser on a server, by default on the coordinator. */
  asSuperuser<R>(sql: string, node?: NodeAddress): Promise<R[]>;
}

/** Returns the URL of the same database with the service's login. */
export function serviceUrlOf(superuser: string): string {
  const url = new URL(superuser);
  url.username = LOGIN;
  url.password = PASSWORD;
  return url.href;
}

/** @param options.prepared whether to make the control schema too */
export async function openClusterDatabase(
  options: { prepared?: boolean; workers?: number } = {},
): Promise<ClusterDatabase> {
  const server = new URL(process.env.TEST_CITUS_URL ?? "");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const all = await inDatabase<NodeAddress>(
    server,
    "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid",
  );
  const workers = all.slice(0, options.workers ?? all.length);
  await inDatabase(server, `CREATE DATABASE ${name}`);
  const admin = new URL(server);
  admin.pathname = `/${name}`;
  const login = new URL(serviceUrlOf(admin.href));
  const env = { DATABASE_URL: login.href, RECOLLECT_CLUSTER_ADMIN_URL: admin.href };
  await keepDataRoleSecret(server, admin);
  await runCluster(readConfig(env), { do: "init", nodes: workers }, () => undefined);
  const db = openPostgres({ connectionString: login.href, maxConnections: 12, onIdleError: () => undefined });
  if (options.prepared !== false) await prepareDatabase(db, new Date(), () => undefined);
  const hostOf = (url: URL, node?: NodeAddress) => {
    const there = new URL(url);
    if (node) [there.hostname, there.port] = [node.host, String(node.port)];
    return there;
  };
  const drop = async () => {
    const roles = await inDatabase<{ role: string }>(
      admin,
      "SELECT nspname AS role FROM pg_namespace WHERE nspname ~ '^agent_[0-9a-f]{12}$' OR nspname = 'keyword_agent'",
    );
    await db.close();
    for (const node of [undefined, ...all]) {
      const there = hostOf(server, node);
      there.pathname = "/postgres";
      await inDatabase(there, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      for (const { role } of roles) await inDatabase(there, `DROP ROLE IF EXISTS "${role}"`).catch(() => undefined);
    }
  };
  return {
    db,
    url: login.href,
    env,
    workers,
    allWorkers: all,
    drop,
    asSuperuser: (sql, node) => inDatabase(hostOf(admin, node), sql),
  };
}

/**
 * Copies the secret of the data role from another database of the cluster into the test's database,
 * so that `cluster init` keeps it. Roles belong to all databases of a server, so a new password
 * would lock out the service that uses the other database.
 */
async function keepDataRoleSecret(server: URL, admin: URL): Promise<void> {
  const known = "SELECT datname AS name FROM pg_database WHERE datallowconn AND datname !~ '^(template|test_)'";
  await inDatabase(admin, "CREATE EXTENSION IF NOT EXISTS citus");
  for (const { name } of await inDatabase<{ name: string }>(server, known)) {
    const there = new URL(server);
    there.pathname = `/${name}`;
    const [citus] = await inDatabase(there, "SELECT 1 FROM pg_extension WHERE extname = 'citus'");
    if (!citus) continue;
    const secrets = await on(openAs(there), storedSecrets);
    const secret = secrets.get(DATA_ROLE);
    if (secret === undefined) continue;
    return on(openAs(admin), (db) => storeSecrets(db, new Map([[DATA_ROLE, secret]])));
  }
}

function openAs(url: URL): Database {
  return openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
}

async function inDatabase<R>(url: URL, sql: string): Promise<R[]> {
  return on(openAs(url), async (db) => (await db.executeSql<R>(sql)).rows);
}
