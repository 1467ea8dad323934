import { createYielder } from "../../base/cooperative-yield.ts";
import { randomHex } from "../../base/ids.ts";
import type { AgentSpace } from "../../db/agent/space/agent-transaction.ts";
import { createAgentRole, createAgentSchema } from "../../db/agent/space/create-agent-schema.ts";
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
 * Spare spaces: schemas with their roles that are made before anybody asks. Postgres reads all memberships of the service's login
 * again whenever one was added: in CREATE ROLE, in GRANT, and in the next SET ROLE of each connection. With ten thousand agents each
 * takes tens of milliseconds (docs/SCALE.md). An agent that takes a spare adds no membership; spares are made several at once, so
 * that connections read the memberships again once for all of them.
 */

/** One for so many agents: with few agents a role costs nothing, and an empty space takes 0.7 MB. */
const AGENTS_A_SPARE = 25;
const MOST_SPARES = 64;
/**
 * The least on a cluster. There a space always takes six times as long as on one server (0.3 to 1 s, measured), since Citus writes each
 * table into the catalogues of all nodes.
 */
const LEAST_SPARES_OF_CLUSTER = 16;
/**
 * Made in one transaction. Of each space some 80 relations are told to all connections; one that is told of more than 4,096 changes at
 * once forgets all that it knows of any table.
 */
const MADE_AT_ONCE = 4;
/** It rests in between, as packing does: nobody waits for it. */
const RESTS = 2;

/** The name of a new agent's schema and role, and the version that its schema has already; 0: there is none yet. */
export async function takeSpace(deps: CoreDeps, tx: SqlExecutor): Promise<SpareSpace> {
  const { taken, ...count } = await takeSpareSpace(tx, newestVersion(deps.migrations).schemaVersion);
  if (count.spares < sparesFor(deps, count) / 2) await deps.queue.send(tx, SPARE_SPACES_JOB, {}, "unless one waits");
  return taken ?? { schemaName: newName(), schemaVersion: 0 };
}

/** Makes spares until there are as many as the number of agents asks for. @param signal aborted when the process stops */
export async function makeSpareSpaces(deps: CoreDeps, signal: AbortSignal): Promise<void> {
  const { schemaVersion } = newestVersion(deps.migrations);
  const rest = createYielder(RESTS);
  while (!signal.aborted) {
    const count = await countSpareSpaces(deps.db, schemaVersion);
    const missing = Math.min(MADE_AT_ONCE, sparesFor(deps, count) - count.spares);
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

/** The embedded database has one session, which is a superuser's: memberships are not read, and work ahead would delay others. */
function sparesFor({ db }: CoreDeps, { agents, isCluster }: SpareCount): number {
  if (db.kind === "pglite") return 0;
  return Math.min(MOST_SPARES, Math.max(isCluster ? LEAST_SPARES_OF_CLUSTER : 0, Math.floor(agents / AGENTS_A_SPARE)));
}

function newName(): string {
  return `agent_${randomHex(6)}`;
}
