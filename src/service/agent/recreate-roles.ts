import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import { createAgentRole, grantAgentRights, lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import { agentsWithSchema } from "../../db/control/agents.ts";
import { listSpareSpaces } from "../../db/control/spare-spaces.ts";
import type { Database } from "../../db/database.ts";
import { spaceOf } from "../core/agent-profile.ts";

const PAGE = 100;

/**
 * Recreates the missing roles of agents and of spare schemas, with their rights. A dump of a
 * database contains no roles. A login without superuser rights cannot restore a dump of a server's
 * roles, nor can a login whose superuser granted the roles.
 *
 * @returns the number of agents
 */
export async function restoreRoles(db: Database): Promise<number> {
  let done = 0;
  for (let after = ""; ; ) {
    const page = await agentsWithSchema(db, after, PAGE);
    for (const row of page) await restoreRole(db, spaceOf(row));
    done += page.length;
    const last = page.at(-1);
    if (!last) break;
    after = last.schemaName;
  }
  for (const { schemaName } of await listSpareSpaces(db))
    await restoreRole(db, spaceOf({ schemaName, roleName: schemaName }));
  return done;
}

async function restoreRole(db: Database, space: AgentSpace): Promise<void> {
  await db.transaction(async (tx) => {
    await lockAgentSchema(tx, space);
    await createAgentRole(tx, space);
    await grantAgentRights(tx, space);
  });
}
