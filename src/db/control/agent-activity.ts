import { and, desc, eq, gt, lt, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { agentActivity } from "./log-schema.ts";
import { apiKeys } from "./schema.ts";

/** One caller's activity in an agent's memory within a few seconds. */
export type ActivityRow = Omit<typeof agentActivity.$inferSelect, "id" | "publicId">;

/** A row to store, with the number of calls in each class of latency. */
export type ActivityWrite = Pick<ActivityRow, "schemaName" | "at" | "actor" | "kind" | "times" | "hits"> &
  Partial<Pick<ActivityRow, "failed" | "empty" | "ms" | "slowestMs">> & { latencies?: readonly number[] };

/** The upper ends of the classes of latency in milliseconds; the last class has none. */
export const LATENCY_CLASSES = [5, 10, 20, 40, 70, 100, 150, 200, 300, 500, 750, 1000, 2000, 3000, 5000] as const;
const CLASSES = Array.from({ length: LATENCY_CLASSES.length + 1 }, (_, n) => n + 1);
const ZEROES = CLASSES.map(() => 0);

/** Returns an array of the same expression for each class; `of` gets the number of the class, from 1. */
function forClasses(of: (n: number) => string): string {
  return `ARRAY[${CLASSES.map(of).join(", ")}]`;
}

/**
 * Stores activity in one statement, for any number of agents: the rows themselves, and their sums by
 * the hour. Activity of an erased agent is left out. The agent's row is locked, so an erasure waits
 * and then deletes these rows too.
 */
export async function insertActivity(sql: SqlExecutor, rows: readonly ActivityWrite[]): Promise<void> {
  await sql.executeSql(
    // Agents and hours are locked in one order, so that two processes cannot deadlock.
    `WITH living AS MATERIALIZED (
       SELECT schema_name
         FROM recollect.agents
        WHERE schema_name = ANY($1::text[])
        ORDER BY schema_name
          FOR KEY SHARE
     ), n AS MATERIALIZED (
       SELECT n.*
         FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::int[], $6::int[], $7::int[], $8::int[],
                     $9::int[], $10::int[], $11::text[])
           AS n (schema_name, at, actor, kind, times, hits, failed, empty, ms, slowest_ms, latencies)
         JOIN living USING (schema_name)
     ), entries AS (
       INSERT INTO recollect.agent_activity (schema_name, at, actor, kind, times, hits, failed, empty, ms, slowest_ms)
       SELECT schema_name, at, actor, kind, times, hits, failed, empty, ms, slowest_ms
         FROM n
        ORDER BY at
     )
     INSERT INTO recollect.activity_hours AS h (schema_name, hour, actor, kind, times, hits, failed, empty, ms, slowest_ms,
                                                latencies)
     SELECT schema_name, date_trunc('hour', at, 'UTC') AS hour, actor, kind, sum(times), sum(hits), sum(failed), sum(empty),
            coalesce(sum(ms), 0), coalesce(max(slowest_ms), 0),
            ${forClasses((n) => `sum((latencies::bigint[])[${n}])`)}
       FROM n
      GROUP BY 1, 2, 3, 4
      ORDER BY 1, 2, 4, 3
     ON CONFLICT (schema_name, hour, kind, actor) DO UPDATE
        SET times = h.times + excluded.times, hits = h.hits + excluded.hits, failed = h.failed + excluded.failed,
            empty = h.empty + excluded.empty, ms = h.ms + excluded.ms,
            slowest_ms = greatest(h.slowest_ms, excluded.slowest_ms),
            latencies = ${forClasses((n) => `h.latencies[${n}] + excluded.latencies[${n}]`)}`,
    [
      rows.map((row) => row.schemaName),
      rows.map((row) => row.at.toISOString()),
      rows.map((row) => row.actor),
      rows.map((row) => row.kind),
      rows.map((row) => row.times),
      rows.map((row) => row.hits),
      rows.map((row) => row.failed ?? 0),
      rows.map((row) => row.empty ?? 0),
      rows.map((row) => row.ms ?? null),
      rows.map((row) => row.slowestMs ?? null),
      rows.map((row) => `{${(row.latencies ?? ZEROES).join(",")}}`),
    ],
  );
}

/** The sums of one group of calls: by time, by kind, and perhaps by caller or agent. */
export interface ActivitySum {
  /** The beginning of the hour or day; null in a sum over the whole time. */
  at: Date | null;
  kind: ActivityRow["kind"];
  /** The caller or agent, if the sums are grouped so; else an empty text. */
  of: string;
  times: number;
  hits: number;
  failed: number;
  empty: number;
  ms: number;
  slowestMs: number;
  latencies: number[];
}

/** The most sums of one answer. */
const MAX_SUMS = 10_000;

/**
 * Sums up activity by the hour or the day (of UTC), or over the whole time, and by caller or agent.
 *
 * @param of one agent, or all agents of a tenant
 */
export async function sumActivity(
  sql: SqlExecutor,
  of: { schemaName: string } | { tenantId: string },
  { since, until, per, by }: { since: Date; until: Date; per: "hour" | "day" | "all"; by: "none" | "actor" | "agent" },
): Promise<ActivitySum[]> {
  const at = per === "all" ? "NULL::timestamptz" : `date_trunc('${per}', h.hour, 'UTC')`;
  const group = { none: "''", actor: "h.actor", agent: "a.id" }[by];
  const [condition, value] =
    "schemaName" in of ? ["h.schema_name = $1", of.schemaName] : ["a.tenant_id = $1", of.tenantId];
  const { rows } = await sql.executeSql<ActivitySum>(
    `SELECT ${at} AS at, h.kind, ${group} AS of, sum(h.times)::float8 AS times, sum(h.hits)::float8 AS hits,
            sum(h.failed)::float8 AS failed, sum(h.empty)::float8 AS empty, sum(h.ms)::float8 AS ms,
            max(h.slowest_ms) AS "slowestMs", ${forClasses((n) => `sum(h.latencies[${n}])::float8`)} AS latencies
       FROM recollect.activity_hours h
       JOIN recollect.agents a ON a.schema_name = h.schema_name
      WHERE ${condition}
        AND h.hour >= $2
        AND h.hour < $3
      GROUP BY 1, 2, 3
      ORDER BY 1, ${by === "none" ? "2" : "sum(h.times) DESC, 2, 3"}
      LIMIT ${MAX_SUMS}`,
    [value, since, until],
  );
  return rows;
}

/** Returns the names of the tenant's own keys with these prefixes, by prefix. */
export async function namesOfKeys(
  sql: SqlExecutor,
  tenantId: string,
  prefixes: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql.executeSql<{ prefix: string; name: string }>(
    "SELECT prefix, name FROM recollect.api_keys WHERE tenant_id = $1 AND prefix = ANY($2::text[])",
    [tenantId, prefixes],
  );
  return new Map(rows.map(({ prefix, name }) => [prefix, name]));
}

/** Deletes hours that are older than `oldest`, at most `limit` rows. */
export async function pruneHours(sql: SqlExecutor, oldest: Date, limit: number): Promise<void> {
  await sql.executeSql(
    `DELETE FROM recollect.activity_hours
      WHERE ctid IN (SELECT ctid FROM recollect.activity_hours WHERE hour < $1 LIMIT $2)`,
    [oldest, limit],
  );
}

/** Deletes an agent's hours beyond its newest `maxRows`. */
export async function trimHours(sql: SqlExecutor, agentSchema: string, maxRows: number): Promise<void> {
  await sql.executeSql(
    `DELETE FROM recollect.activity_hours
      WHERE schema_name = $1
        AND hour <= (
          SELECT hour
            FROM recollect.activity_hours
           WHERE schema_name = $1
           ORDER BY hour DESC
          OFFSET $2
           LIMIT 1)`,
    [agentSchema, maxRows],
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
  const { id, publicId, at, actor, kind, times, hits, failed, empty, ms, slowestMs } = agentActivity;
  const isOwn = and(eq(apiKeys.prefix, actor), eq(apiKeys.tenantId, agent.tenantId));
  const isOf = eq(agentActivity.schemaName, agent.schemaName);
  const lastId = (name: string) =>
    controlDb(sql)
      .select({ id })
      .from(agentActivity)
      .where(and(isOf, eq(publicId, name)));
  const matches = and(isOf, gt(at, since), before === undefined ? undefined : lt(id, lastId(before)));
  return controlDb(sql)
    .select({ id: publicId, at, actor, kind, times, hits, failed, empty, ms, slowestMs, keyName: apiKeys.name })
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
