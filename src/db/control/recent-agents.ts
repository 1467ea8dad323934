import type { SqlExecutor } from "../database.ts";

/** An agent that was recently searched or created. */
export interface RecentAgent {
  tenantId: string;
  agentId: string;
  schemaName: string;
  roleName: string;
}

/**
 * The number of activity entries that are read. When there are very many, the last hours are
 * enough.
 */
const MOST_ENTRIES = 5000;

/** Reads the agents in use: the most recently searched first, then the newest. */
export async function recentAgents(sql: SqlExecutor, limit: number): Promise<RecentAgent[]> {
  const { rows } = await sql.executeSql<RecentAgent>(
    `SELECT a.tenant_id AS "tenantId", a.id AS "agentId", a.schema_name AS "schemaName", a.role_name AS "roleName"
       FROM recollect.agents a
       LEFT JOIN (
         SELECT schema_name, max(at) AS at
           FROM (
             SELECT schema_name, at
               FROM recollect.agent_activity
              ORDER BY at DESC
              LIMIT ${MOST_ENTRIES}) AS entries
          GROUP BY schema_name) AS searched ON searched.schema_name = a.schema_name
      WHERE a.status = 'active'
      ORDER BY searched.at DESC NULLS LAST, a.created_at DESC
      LIMIT $1`,
    [limit],
  );
  return rows;
}
