import { setTimeout } from "node:timers/promises";
import { AppError } from "../base/errors.ts";
import type { ClusterTask } from "../cli/shell/context.ts";
import type { Config } from "../config/config.ts";
import { DATA_ROLE } from "../db/citus/acting.ts";
import {
  type ClusterServers,
  copyRoles,
  dataRolePassword,
  giveBuildMemory,
  giveRights,
  hardenNode,
  isMember,
  joinNode,
  makeDatabase,
  makeExtensions,
  makeLogins,
  type NodeAddress,
  nameCoordinator,
  nameLocalHost,
  on,
  secretOf,
  settleCommitsSoon,
  storedSecrets,
  storeSecrets,
} from "../db/citus/build-cluster.ts";
import {
  brokenPaths,
  type ClusterState,
  citusVersion,
  clusterWarnings,
  inspectCluster,
  unsafeCluster,
} from "../db/citus/inspect-cluster.ts";
import {
  beginRebalance,
  isUnderWay,
  moveAgent,
  placeOf,
  rebalanceState,
  stopRebalance,
} from "../db/citus/place-agents.ts";
import { findAgent } from "../db/control/agents.ts";
import { findTenantId } from "../db/control/tenants.ts";
import type { Database } from "../db/database.ts";
import { openPostgres } from "../db/pg.ts";
import { isNodeConnectionFailure } from "../db/pg-error.ts";

const REBALANCE_POLL_MS = 1000;

interface Cluster {
  servers: ClusterServers;
  coordinator: Database;
  /** The URL of the superuser and the URL of the service's login, each with its password. */
  admin: URL;
  login: URL;
  say(step: string): void;
}

/**
 * Runs `recollect cluster …`. It works as a superuser on the servers themselves
 * (RECOLLECT_CLUSTER_ADMIN_URL), because the service's login may not join nodes or move agents.
 * Every step checks the present state first, so a run that died can simply be repeated.
 *
 * @param say is called with each step as it begins
 */
export async function runCluster(
  config: Config,
  task: ClusterTask,
  say: (step: string) => void,
): Promise<ClusterState> {
  const admin = urlOf(config.clusterAdminUrl, "RECOLLECT_CLUSTER_ADMIN_URL", "a superuser on the coordinator");
  const login = urlOf(config.databaseUrl, "DATABASE_URL", "the service's login on the coordinator");
  const servers = serversOf(admin);
  return on(servers.coordinator(), async (coordinator) => {
    const cluster = { servers, coordinator, admin, login, say };
    return runTask(cluster, task).catch((error: unknown) => {
      throw betweenNodes(error) ?? error;
    });
  });
}

async function runTask(cluster: Cluster, task: ClusterTask): Promise<ClusterState> {
  switch (task.do) {
    case "init":
      return init(cluster, task.coordinator, task.nodes);
    case "add-node":
      return addNode(cluster, task.node, task.reserved);
    case "move":
      return move(cluster, task);
    case "rebalance":
      return rebalance(cluster);
    case "stop-rebalance":
      cluster.say((await stopRebalance(cluster.coordinator)) ? "the rebalancing stops" : "no rebalancing is under way");
      return stateOf(cluster);
    case "status":
      return status(cluster);
  }
}

async function status(cluster: Cluster): Promise<ClusterState> {
  const state = await stateOf(cluster);
  for (const { what, remedy } of await brokenPaths(cluster.coordinator, state)) cluster.say(`${what} ${remedy}`);
  return state;
}

/**
 * Returns the error for a server that cannot connect to another server, with the reason that the
 * operator needs; undefined for other errors. HTTP clients are not told the names of servers, but
 * the user of this command administers the servers.
 */
function betweenNodes(error: unknown): AppError | undefined {
  const { cause } = error as { cause?: unknown };
  if (!isNodeConnectionFailure(cause)) return undefined;
  const reason = [cause.message, cause.detail].filter(Boolean).join(": ");
  return new AppError(
    "database_unavailable",
    `A server of the cluster cannot connect to another: ${reason}. Each certificate must name its server, and the servers must know each other's passwords: recollect cluster init stores them again.`,
    { cause },
  );
}

async function init(cluster: Cluster, address: NodeAddress | undefined, nodes: readonly NodeAddress[]) {
  const { servers, coordinator, admin, login, say } = cluster;
  const [name, password] = nameAndPassword(login);
  say(`the coordinator gets the extensions, and the logins ${name} and recollect_data`);
  await makeExtensions(coordinator, superuserSecret(admin));
  const dataPassword = await dataRolePassword(coordinator, { name, password });
  await makeLogins(coordinator, { name, password }, dataPassword);
  const passwords: (readonly [string, string])[] = [
    nameAndPassword(admin),
    [name, password],
    [DATA_ROLE, dataPassword],
  ];
  const secrets = new Map(passwords.map(([role, secret]) => [role, secretOf(secret)]));
  await storeSecrets(coordinator, secrets);
  await nameCoordinator(coordinator, address ?? addressOf(admin));
  await nameLocalHost(coordinator, address ?? addressOf(admin));
  await settleCommitsSoon(coordinator);
  for (const node of nodes) await join(cluster, node, secrets, false);
  await giveRights(coordinator, servers.database, name);
  return harden(cluster);
}

function superuserSecret(admin: URL): ReadonlyMap<string, string> {
  const [role, password] = nameAndPassword(admin);
  return new Map([[role, secretOf(password)]]);
}

async function addNode(cluster: Cluster, node: NodeAddress, reserved: boolean): Promise<ClusterState> {
  await stateOf(cluster);
  await join(cluster, node, await storedSecrets(cluster.coordinator), reserved);
  return harden(cluster);
}

async function join(
  { servers, coordinator, admin, login, say }: Cluster,
  node: NodeAddress,
  secrets: ReadonlyMap<string, string>,
  reserved: boolean,
): Promise<void> {
  const name = `${node.host}:${node.port}`;
  if (await isMember(coordinator, node)) {
    // The password may have changed since the node joined.
    await on(servers.node(node), async (db) => {
      await storeSecrets(db, secrets);
      await nameLocalHost(db, node);
    });
    return say(`${name} is a node of the cluster already`);
  }
  say(`${name} gets the database and the extensions`);
  await on(servers.node(node, "postgres"), (db) => makeDatabase(db, servers.database));
  const copied = await on(servers.node(node), async (db) => {
    await makeExtensions(db, superuserSecret(admin));
    const roles = await copyRoles(coordinator, db, nameAndPassword(login)[0]);
    await storeSecrets(db, secrets);
    await nameLocalHost(db, node);
    return roles;
  });
  say(`${name} got ${copied} more roles and joins the cluster`);
  await joinNode(coordinator, node, { reserved });
}

/**
 * Checks the rights of the data role on every node. A node that joins gets the attributes of the
 * coordinator's roles, so this step comes after the join.
 */
async function harden(cluster: Cluster): Promise<ClusterState> {
  const { servers, admin, login, say } = cluster;
  const { workers } = await stateOf(cluster);
  say("checking the rights of the data role on every node");
  for (const node of workers)
    await on(servers.node(node), async (db) => {
      await hardenNode(db, false);
      await giveBuildMemory(db, nameAndPassword(login)[0]);
    });
  await on(servers.node(addressOf(admin)), (db) => hardenNode(db, true));
  const state = await stateOf(cluster);
  const unsafe = unsafeCluster(state);
  if (unsafe) throw new AppError("database_unsupported", `${unsafe.what} ${unsafe.remedy}`);
  return state;
}

async function move(
  cluster: Cluster,
  { agent, tenant, node }: { agent: string; tenant?: string | undefined; node: NodeAddress },
): Promise<ClusterState> {
  const { coordinator, say } = cluster;
  const tenantId = await findTenantId(coordinator, tenant);
  if (tenantId === undefined) throw new AppError("tenant_not_found", `There is no tenant ${tenant}.`);
  const row = await findAgent(coordinator, tenantId, agent);
  if (!row) throw new AppError("agent_not_found", `There is no agent ${agent} in this tenant.`);
  const place = await placeOf(coordinator, row.schemaName);
  if (place === undefined)
    throw new AppError(
      "invalid_request",
      `The agent ${agent} is on the coordinator only; see: recollect cluster status`,
    );
  const target = `${node.host}:${node.port}`;
  if (place.host === node.host && place.port === node.port) say(`${agent} is on ${target} already`);
  else {
    say(`${agent} moves from ${place.host}:${place.port} to ${target}`);
    await moveAgent(coordinator, row.schemaName, node);
  }
  return stateOf(cluster);
}

async function rebalance(cluster: Cluster): Promise<ClusterState> {
  const { coordinator, say } = cluster;
  if (!(await beginRebalance(coordinator))) say("the nodes are even already");
  else {
    for (let told = ""; ; ) {
      const now = await rebalanceState(coordinator);
      const text = now ? `${now.done} of ${now.total} moved` : "";
      if (text !== told) say(text);
      told = text;
      if (now === undefined || now.state === "finished") break;
      if (!isUnderWay(now))
        throw new AppError("internal", `The rebalancing ${now.state}: ${now.error ?? "see pg_dist_background_task"}`);
      await setTimeout(REBALANCE_POLL_MS);
    }
  }
  return stateOf(cluster);
}

async function stateOf({ coordinator, say }: Cluster): Promise<ClusterState> {
  const version = await citusVersion(coordinator);
  if (version === undefined)
    throw new AppError(
      "database_unsupported",
      "This database has no extension citus. Run: recollect cluster init --node <each worker>",
    );
  const state = await inspectCluster(coordinator, version, { sizes: true });
  for (const { what, remedy } of clusterWarnings(state)) say(`${what} ${remedy}`);
  const moving = await rebalanceState(coordinator);
  return moving && isUnderWay(moving) ? { ...state, rebalance: moving } : state;
}

function serversOf(admin: URL): ClusterServers {
  const open = (url: URL) =>
    openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
  const database = decodeURIComponent(admin.pathname.slice(1));
  return {
    database,
    coordinator: () => open(admin),
    node: ({ host, port }, other = database) => {
      const url = new URL(admin);
      url.hostname = host;
      url.port = String(port);
      url.pathname = `/${encodeURIComponent(other)}`;
      // A statement that concerns one node must not be propagated from there to the other nodes.
      if (other === database) url.searchParams.set("options", "-c citus.enable_ddl_propagation=off");
      return open(url);
    },
  };
}

function addressOf(url: URL): NodeAddress {
  return { host: url.hostname, port: Number(url.port || 5432) };
}

function nameAndPassword(url: URL): [name: string, password: string] {
  return [decodeURIComponent(url.username), decodeURIComponent(url.password)];
}

function urlOf(text: string | undefined, variable: string, what: string): URL {
  if (text === undefined) throw new AppError("config_invalid", `Set ${variable}: postgres://… of ${what}.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  try {
    if (url && nameAndPassword(url)) return url;
  } catch {
    // The error would quote the password.
  }
  throw new AppError("config_invalid", `${variable} needs a host, and a % in its password as %25.`);
}
