import { createYielder } from "../../base/cooperative-yield.ts";
import { randomHex } from "../../base/ids.ts";
import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import { createAgentRole, createAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import {
  countSpareSpaces,
  insertSpareSpaces,
  type SpareCount,
  type SpareSpace,
  takeSpareSpace,
} from "../../db/control/spare-spaces.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { newestVersion } from "../../db/migrate/agent.ts";
import { SPARE_SPACES_JOB } from "../../queue/job-contracts.ts";
import { spaceOf } from "../core/agent-profile.ts";
import type { CoreDeps } from "../core/core-deps.ts";

/**
 * Spare spaces are schemas with their roles, made before an agent needs them. Postgres reads all
 * memberships of the service's login again whenever one was added: in CREATE ROLE, in GRANT, and in
 * the next SET ROLE of each connection. With ten thousand agents each such read takes tens of
 * milliseconds (docs/SCALE.md). An agent that takes a spare adds no membership. Spares are made
 * several at once, so that each connection reads the memberships once for all of them.
 */

/**
 * The number of agents per spare. With few agents a role costs nothing, and an empty space takes
 * 0.7 MB.
 */
const AGENTS_A_SPARE = 25;
const MOST_SPARES = 64;
/** The limit of all spares together, also those that no new agent may take. */
const MOST_OF_ALL = 2 * MOST_SPARES;
/**
 * The smallest number of spares on a cluster, however few agents there are. Creating a space takes
 * 0.3 to 1 s there (measured), six times as long as on one server, because Citus writes each table
 * into the catalogues of all nodes.
 */
const LEAST_SPARES_OF_CLUSTER = 16;
/**
 * The number of spaces made in one transaction. Postgres notifies every connection of some 80
 * changed relations per space. A connection that receives more than 4,096 notices at once discards
 * all that it has cached about tables.
 */
const MADE_AT_ONCE = 4;
/**
 * The factor by which the job rests between transactions, as packing does: no caller waits for
 * spares.
 */
const RESTS = 2;

/**
 * Returns the name of a new agent's schema and role, and the version of the schema; version 0: the
 * schema does not exist yet.
 */
export async function takeSpace(deps: CoreDeps, tx: SqlExecutor): Promise<SpareSpace> {
  const { taken, ...count } = await takeSpareSpace(tx, newestVersion(deps.migrations).schemaVersion);
  if (count.spares < sparesFor(deps, count) / 2) await deps.queue.send(tx, SPARE_SPACES_JOB, {}, "unless one waits");
  return taken ?? { schemaName: newName(), schemaVersion: 0 };
}

/**
 * Makes spare spaces until there are enough for the number of agents.
 *
 * @param signal aborted when the process stops
 */
export async function makeSpareSpaces(deps: CoreDeps, signal: AbortSignal): Promise<void> {
  const { schemaVersion } = newestVersion(deps.migrations);
  const rest = createYielder(RESTS);
  while (!signal.aborted) {
    const count = await countSpareSpaces(deps.db, schemaVersion);
    const missing = Math.min(MADE_AT_ONCE, sparesFor(deps, count) - count.spares, MOST_OF_ALL - count.all);
    if (missing <= 0) return;
    const names = Array.from({ length: missing }, newName);
    await deps.db.transaction(async (tx) => {
      for (const name of names) await makeSpace(deps, tx, spaceOf({ schemaName: name, roleName: name }));
      await insertSpareSpaces(
        tx,
        names.map((name) => ({ schemaName: name, schemaVersion })),
      );
    });
    await rest();
  }
}

async function makeSpace(deps: CoreDeps, tx: SqlExecutor, space: AgentSpace): Promise<void> {
  await createAgentRole(tx, space);
  await createAgentSchema(tx, space, deps.migrations);
}

/**
 * Returns the wanted number of spares. The embedded database needs none: its one session belongs to
 * a superuser, so Postgres reads no memberships, and work ahead would delay requests.
 */
function sparesFor({ db }: CoreDeps, { agents, isCluster }: SpareCount): number {
  if (db.kind === "pglite") return 0;
  return Math.min(MOST_SPARES, Math.max(isCluster ? LEAST_SPARES_OF_CLUSTER : 0, Math.floor(agents / AGENTS_A_SPARE)));
}

function newName(): string {
  return `agent_${randomHex(6)}`;
}
