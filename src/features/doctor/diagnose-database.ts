import { countOf } from "../../base/text/count-of.ts";
import {
  brokenPaths,
  type ClusterState,
  citusVersion,
  clusterWarnings,
  inspectCluster,
  unsafeCluster,
} from "../../db/citus/inspect-cluster.ts";
import { countByVersion } from "../../db/control/agents.ts";
import type { Database, SqlExecutor } from "../../db/database.ts";
import { RESERVED_BYTES } from "../../db/disk-room.ts";
import {
  type DatabaseState,
  hasFullDisk,
  inspectAgentRoles,
  inspectDatabase,
  type RoleState,
} from "../../db/inspect-database.ts";
import { tooPowerful, tooWeak } from "../../db/login-rights.ts";
import { type AgentMigration, newestVersion } from "../../db/migrate/agent.ts";
import { orphanedAgents } from "../../db/orphaned-agents.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import {
  PGVECTOR_NOT_ENABLED,
  PGVECTOR_NOT_INSTALLED,
  pgvectorFlaw,
  pgvectorHidden,
  pgvectorTooOld,
  type Trouble,
} from "../../db/pgvector-version.ts";
import { inspectQueue, type QueueHealth } from "../../queue/pg-boss-health.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";
import { tryWrites } from "./try-writes.ts";

const OLDEST_POSTGRES = 150_000;
const CLOCK_TOLERANCE_MS = 5000;

/**
 * Checks a reachable database and leaves no change there: version, pgvector, login, migrations,
 * queue, clock.
 *
 * @param options.kind `pglite` skips the checks of login, clock and worker: an embedded database
 *   has one login with all rights, this machine's clock, and no worker while it is closed
 * @param options.isServed whether a running service uses the embedded database; then the worker is
 *   checked too
 */
export async function diagnoseDatabase(
  sql: Database,
  options: {
    kind: "postgres" | "pglite";
    migrations: readonly AgentMigration[];
    now: Date;
    isServed?: boolean;
    /** The names of the kinds of jobs that the service has; by default all kinds. */
    kinds?: readonly string[];
  },
): Promise<Finding[]> {
  const isServer = options.kind === "postgres";
  const found = await inspectDatabase(sql);
  const isFull = sql.kind === "postgres" && found.writes === "taken" && (await hasFullDisk(sql));
  const facts: DatabaseState = isFull ? { ...found, writes: "disk full" } : found;
  const findings = [versionOf(facts, isServer), pgvectorOf(facts, isServer)];
  const citus = isServer ? await citusVersion(sql) : undefined;
  const state = citus === undefined ? undefined : await inspectCluster(sql, citus, { sizes: true });
  if (state) findings.push(...(await clusterOf(sql, state)));
  if (facts.control.isEmpty) {
    const rights = isServer ? [loginOf(facts, undefined)] : [];
    return [...findings, ...rights, await emptyOf(sql)];
  }
  try {
    const roles = isServer ? await inspectAgentRoles(sql, facts.versionNumber) : undefined;
    if (isServer) findings.push(loginOf(facts, roles), clockOf(facts.now, options.now));
    findings.push(
      await migrationsOf(sql, facts, options.migrations),
      queueOf(await inspectQueue(sql, options.kinds ?? null), isServer || options.isServed === true),
    );
    // If the server takes no writes at all, or the cluster is not safe to start on, another finding
    // says so.
    if (state && facts.writes === "taken" && !unsafeCluster(state)) {
      const trials = await trialsOf(sql, state, options);
      const isRefuted = ({ check, state: found }: Finding) => check === "cluster" && found === "ok";
      if (trials.length > 0) return [...findings.filter((one) => !isRefuted(one)), ...trials];
    }
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.insufficientPrivilege) throw error;
    findings.push(
      failed(
        "login",
        `The login ${facts.login} may not read Recollect's own tables in ${facts.database}.`,
        "Use the login that owns the tables, or have it run: GRANT <owner> TO <this login>; see docs/ISOLATION.md.",
      ),
    );
  }
  return findings;
}

/** Returns the finding about a database without the control schema. */
async function emptyOf(sql: SqlExecutor): Promise<Finding> {
  const orphaned = await orphanedAgents(sql);
  if (orphaned) return failed("migrations", orphaned.what, orphaned.remedy);
  return ok("migrations", "The database is empty; the first start fills it.");
}

/** Returns one finding when the cluster is well, otherwise one for each problem. */
async function clusterOf(sql: SqlExecutor, state: ClusterState): Promise<Finding[]> {
  const unsafe = unsafeCluster(state);
  if (unsafe) return [failed("cluster", unsafe.what, unsafe.remedy)];
  const warnings = [...clusterWarnings(state), ...(await brokenPaths(sql, state))];
  if (warnings.length > 0) return warnings.map(({ what, remedy }) => warning("cluster", what, remedy));
  const agents = state.workers.reduce((sum, worker) => sum + worker.agents, 0);
  return [
    ok(
      "cluster",
      `Citus ${state.version}, ${countOf(state.workers.length, "worker")} with ${countOf(agents, "agent")}.`,
    ),
  ];
}

/** Returns findings of the workers on which a trial write fails; none when all writes succeed. */
async function trialsOf(
  db: Database,
  { workers }: ClusterState,
  how: { migrations: readonly AgentMigration[]; now: Date },
): Promise<Finding[]> {
  const answering = workers.filter(({ away }) => away === undefined);
  return (await tryWrites(db, answering, how)).map(({ what, remedy }) => failed("cluster", what, remedy));
}

function versionOf(facts: DatabaseState, isServer: boolean): Finding {
  const { version, versionNumber, database, login, writes } = facts;
  const short = version.split(" ")[0];
  if (versionNumber < OLDEST_POSTGRES)
    return failed("database", `PostgreSQL ${short} is too old.`, "Recollect needs 15 or newer: upgrade the server.");
  if (writes === "disk full" && isServer)
    return failed(
      "database",
      `PostgreSQL ${short} takes no writes: its disk is full.`,
      "Make room on the server's disk, but delete nothing in pg_wal; see docs/operations/runbook.md. Reads and searches go on, and no acknowledged write is lost.",
    );
  if (writes === "disk full")
    return failed(
      "database",
      `PostgreSQL ${short}, embedded, takes no writes: its disk has less than ${RESERVED_BYTES / 2 ** 20} MB left.`,
      "Make room on the disk of the data folder. A server that runs goes on to read and search, no other command starts, and no acknowledged write is lost.",
    );
  if (writes === "read-only")
    return failed(
      "database",
      `PostgreSQL ${short} takes no writes: it is a replica, or default_transaction_read_only is on.`,
      "Name the primary in DATABASE_URL, or have an administrator switch the setting off. A server that runs goes on to read and search; none can start.",
    );
  return ok("database", `PostgreSQL ${short}, ${isServer ? `database ${database}, login ${login}` : "embedded"}.`);
}

function pgvectorOf({ pgvector, login, isSuperuser }: DatabaseState, isServer: boolean): Finding {
  const { version, available, schema, isFound, fault } = pgvector;
  const because = ({ what, remedy }: Trouble) => failed("pgvector", what, remedy);
  if (version === null) {
    if (available === null) return because(PGVECTOR_NOT_INSTALLED);
    if (pgvectorTooOld(available)) return because(pgvectorTooOld(available) as Trouble);
    if (isSuperuser || !isServer)
      return ok("pgvector", `Version ${available} is installed; the first start enables it.`);
    return failed("pgvector", PGVECTOR_NOT_ENABLED.what, `${PGVECTOR_NOT_ENABLED.remedy} (${login} may not.)`);
  }
  const old = pgvectorTooOld(version);
  if (old) return because(old);
  if (!isFound) return because(pgvectorHidden(schema ?? ""));
  if (fault !== undefined)
    return failed(
      "pgvector",
      `The extension is enabled, but cannot compare vectors: ${fault}.`,
      "Install pgvector on the server again, in the enabled version or a newer one.",
    );
  const flaw = pgvectorFlaw(version);
  // The embedded database builds no index in parallel, and cannot be upgraded separately.
  if (flaw && isServer)
    return warning("pgvector", flaw.what.replace(/;$/, "."), flaw.remedy.replace("upgrade", "Upgrade"));
  return ok("pgvector", `Version ${version}.`);
}

const MAKE_ROLES =
  "Run recollect migrate --roles with the service's DATABASE_URL: it makes the roles and their rights again.";

function loginOf(facts: DatabaseState, roles: RoleState | undefined): Finding {
  const { login, database } = facts;
  const weak = tooWeak(facts);
  if (weak) return failed("login", weak.what, weak.remedy);
  if (!facts.canCreateSchemas)
    return failed(
      "login",
      `The login ${login} may not create schemas in ${database}.`,
      `As the database's owner run: GRANT CREATE ON DATABASE ${database} TO ${login};`,
    );
  if (roles && roles.missing > 0)
    return failed(
      "login",
      `${countOf(roles.missing, "agent")} without a role, as after a restore of the database without the server's roles.`,
      MAKE_ROLES,
    );
  if (roles && roles.lacking > 0)
    return failed(
      "login",
      `${roles.lacking} of the agents' roles lack rights on their own schema, as after a restore of roles without the database's rights.`,
      MAKE_ROLES,
    );
  if (roles && roles.unreachable > 0)
    return failed(
      "login",
      `The login ${login} may not act as ${roles.unreachable} of the agents' roles.`,
      `As the login that made them run: GRANT <role> TO ${login} WITH SET TRUE; see docs/ISOLATION.md.`,
    );
  if (roles && roles.powerful > 0)
    return warning(
      "login",
      `${roles.powerful} of the agents' roles may do more than their own schema.`,
      "Take it from them: ALTER ROLE <role> NOLOGIN NOINHERIT NOSUPERUSER NOCREATEROLE; see docs/ISOLATION.md.",
    );
  const power = tooPowerful(facts);
  if (power) return warning("login", power.what, power.remedy);
  return ok("login", `${login} may make roles and schemas, and is no superuser.`);
}

async function migrationsOf(
  sql: SqlExecutor,
  { control }: DatabaseState,
  migrations: readonly AgentMigration[],
): Promise<Finding> {
  if (control.isNewer)
    return failed(
      "migrations",
      "This database was migrated by a newer Recollect.",
      "Install that version or a newer one.",
    );
  if (control.pending > 0)
    return warning(
      "migrations",
      `The control schema lacks ${countOf(control.pending, "migration")}.`,
      "The next start applies them; back the database up first.",
    );
  const { schemaVersion } = newestVersion(migrations);
  const versions = await countByVersion(sql);
  const behind = versions.filter((row) => row.schemaVersion < schemaVersion).reduce((sum, row) => sum + row.agents, 0);
  if (behind > 0)
    return warning(
      "migrations",
      `${countOf(behind, "agent")} still to be migrated.`,
      "A worker does it in the background; see recollect fleet status.",
    );
  return ok("migrations", `Nothing is pending; agents are at version ${schemaVersion}.`);
}

/**
 * Checks the queue.
 *
 * @param isWorked whether the queue should have a worker
 */
function queueOf(queue: QueueHealth, isWorked: boolean): Finding {
  if (!queue.isInstalled) return ok("queue", "There is no queue yet; the first start makes it.");
  const { due, oldestDueMs, retries, nextTryAt, deadLetters, workerSilentMs } = queue;
  const dueNow =
    due === 0 ? "no job is due" : `${countOf(due, "job")} due, the oldest for ${Math.round(oldestDueMs / 1000)} s`;
  const load = [dueNow, ...(nextTryAt ? [retriesSaid(retries, nextTryAt)] : [])].join(", and ");
  const silent = isWorked ? noWorker(workerSilentMs, load) : undefined;
  // Before the first start nothing waits for a worker.
  if (silent && due === 0 && !Number.isFinite(workerSilentMs)) return { ...silent, state: "warning" };
  if (silent) return silent;
  if (deadLetters > 0)
    return warning(
      "queue",
      `${countOf(deadLetters, "job")} failed for good; ${load}.`,
      "See recollect jobs list --state failed, then recollect jobs retry <id>.",
    );
  return ok("queue", isWorked ? `A worker is alive; ${load}.` : `${load[0]?.toUpperCase()}${load.slice(1)}.`);
}

/** Returns the clause about jobs that have failed and will be tried again. */
export function retriesSaid(count: number, nextTryAt: Date): string {
  const at = nextTryAt.toISOString().replace(/\.\d+/, "");
  return count === 1
    ? `1 job waits for its next try at ${at}`
    : `${count} jobs wait for their next try, the first at ${at}`;
}

/**
 * Returns the finding about a queue that no worker takes jobs from; undefined if one does.
 *
 * @param load describes the waiting jobs
 */
export function noWorker(silentMs: number, load: string): Finding | undefined {
  if (silentMs === 0) return undefined;
  const seconds = Math.round(silentMs / 1000);
  const since = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
  // The schedule's own jobs wait too, when no agent's job is due.
  const waits = `No worker is running: a job or the schedule has waited ${since} for one; ${load}.`;
  const what = Number.isFinite(silentMs) ? waits : `No worker has taken a job yet; ${load}.`;
  return failed("queue", what, "Start a worker: recollect worker, or recollect serve without --no-worker.");
}

function clockOf(theirs: Date, ours: Date): Finding {
  const awayMs = theirs.getTime() - ours.getTime();
  if (Math.abs(awayMs) <= CLOCK_TOLERANCE_MS) return ok("clock", "The database's clock agrees with this machine's.");
  return warning(
    "clock",
    `The database's clock is ${Math.round(Math.abs(awayMs) / 1000)} s ${awayMs > 0 ? "ahead of" : "behind"} this machine's.`,
    "Set both clocks by NTP: the database's clock decides when jobs are due, this machine's which facts and keys hold.",
  );
}
