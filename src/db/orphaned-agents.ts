import { countOf } from "../base/text/count-of.ts";
import type { SqlExecutor } from "./database.ts";
import type { Trouble } from "./pgvector-version.ts";

/**
 * Returns the trouble of a database that has schemas of agents and no control schema, which says whose they are.
 * A start there would look like a new service, with all memories gone; undefined if there are no such schemas.
 */
export async function orphanedAgents(sql: SqlExecutor): Promise<Trouble | undefined> {
  const { rows } = await sql.executeSql<{ agents: number }>(
    String.raw`SELECT count(*)::int AS agents
       FROM pg_namespace n
      WHERE n.nspname LIKE 'agent\_%'
        AND EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'generations')
        AND EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'facts')`,
  );
  const agents = rows[0]?.agents ?? 0;
  if (agents === 0) return undefined;
  return {
    what: `The database has the schemas of ${countOf(agents, "agent")}, and the schema recollect, which says whose they are, is missing.`,
    remedy:
      "Restore the whole database from a backup (docs/operations/backup-and-upgrade.md), or name another database in DATABASE_URL.",
  };
}
