import { and, desc, eq, gt, lt, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { agentActivity } from "./log-schema.ts";
import { apiKeys } from "./schema.ts";

/** One caller's activity in an agent's memory within a few seconds. */
export type ActivityRow = Omit<typeof agentActivity.$inferSelect, "id" | "publicId">;

/**
 * Stores activity in one statement, for any number of agents. Activity of an erased agent is left
 * out. The agent's row is locked, so an erasure waits and then deletes these rows too.
 */
export async function insertActivity(sql: SqlExecutor, rows: readonly ActivityRow[]): Promise<void> {
  await sql.executeSql(
    // Agents are locked in the order of their schemas, so that two processes cannot deadlock.
    `WITH living AS MATERIALIZED (
       SELECT schema_name
         FROM recollect.agents
        WHERE schema_name = ANY($1::text[])
        ORDER BY schema_name
          FOR KEY SHARE
     )
     INSERT INTO recollect.agent_activity (schema_name, at, actor, kind, times, hits)
     SELECT schema_name, n.at, n.actor, n.kind, n.times, n.hits
       FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::int[], $6::int[])
         AS n (schema_name, at, actor, kind, times, hits)
       JOIN living USING (schema_name)
      ORDER BY n.at`,
    [
      rows.map((row) => row.schemaName),
      rows.map((row) => row.at.toISOString()),
      rows.map((row) => row.actor),
      rows.map((row) => row.kind),
      rows.map((row) => row.times),
      rows.map((row) => row.hits),
    ],
  );
}

/**
 * Deletes an agent's activity beyond its newest `maxRows`. For one agent at a time, because a plan
 * for many agents reads the whole table.
 */
export async function trimActivity(sql: SqlExecutor, agentSchema: string, maxRows: number): Promise<void> {
  await sql.executeSql(
    `DELETE FROM recollect.agent_activity
      WHERE schema_name = $1
        AND id <= (
          SELECT id
            FROM recollect.agent_activity
           WHERE schema_name = $1
           ORDER BY id DESC
          OFFSET $2
           LIMIT 1)`,
    [agentSchema, maxRows],
  );
}

/**
 * Reads one page of an agent's activity after `since`, newest first, starting below the entry named
 * `before`. When that entry has been deleted, all older ones have been too.
 *
 * @returns rows with the name of the caller's key, if the key is the tenant's own
 */
export function listActivity(
  sql: SqlExecutor,
  agent: { tenantId: string; schemaName: string },
  { since, before, limit }: { since: Date; before: string | undefined; limit: number },
): Promise<(Omit<ActivityRow, "schemaName"> & { id: string; keyName: string | null })[]> {
  const { id, publicId, at, actor, kind, times, hits } = agentActivity;
  const isOwn = and(eq(apiKeys.prefix, actor), eq(apiKeys.tenantId, agent.tenantId));
  const isOf = eq(agentActivity.schemaName, agent.schemaName);
  const lastId = (name: string) =>
    controlDb(sql)
      .select({ id })
      .from(agentActivity)
      .where(and(isOf, eq(publicId, name)));
  const matches = and(isOf, gt(at, since), before === undefined ? undefined : lt(id, lastId(before)));
  return controlDb(sql)
    .select({ id: publicId, at, actor, kind, times, hits, keyName: apiKeys.name })
    .from(agentActivity)
    .leftJoin(apiKeys, isOwn)
    .where(matches)
    .orderBy(desc(id))
    .limit(limit);
}

/**
 * Deletes activity that is older than `oldest`, at most `limit` rows.
 *
 * @returns the number of deleted rows
 */
export async function pruneActivity(sql: SqlExecutor, oldest: Date, limit: number): Promise<number> {
  const doomed = controlDb(sql)
    .select({ place: raw`ctid` })
    .from(agentActivity)
    .where(lt(agentActivity.at, oldest))
    .limit(limit);
  const rows = await controlDb(sql)
    .delete(agentActivity)
    .where(raw`ctid IN ${doomed}`)
    .returning({ id: agentActivity.id });
  return rows.length;
}
