import { createAgentRole, grantAgentRights, lockAgentSchema } from "../../db/agent/space/create-agent-schema.ts";
import { agentsWithSchema } from "../../db/control/agents.ts";
import type { Database } from "../../db/database.ts";
import { spaceOf } from "../core/agent-profile.ts";

const PAGE = 100;

/**
 * Recreates the agents' missing roles with their rights. A dump of a database has no roles. A dump of a server's roles
 * cannot be restored by a login that is no superuser, or whose superuser granted them.
 *
 * @returns how many agents there are
 */
export async function restoreRoles(db: Database): Promise<number> {
  let done = 0;
  for (let after = ""; ; ) {
    const page = await agentsWithSchema(db, after, PAGE);
    for (const row of page) {
      const space = spaceOf(row);
      await db.transaction(async (tx) => {
        await lockAgentSchema(tx, space);
        await createAgentRole(tx, space);
        await grantAgentRights(tx, space);
      });
    }
    done += page.length;
    const last = page.at(-1);
    if (!last) return done;
    after = last.schemaName;
  }
}
