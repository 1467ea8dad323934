import { citusVersion } from "../citus/inspect-cluster.ts";
import type { SqlExecutor } from "../database.ts";

/** An agent, with the names of its tenant and schema. */
export interface StoredAgent {
  tenantId: string;
  tenantName: string;
  agentId: string;
  schemaName: string;
}

/** The contents that the tables of an agent's schema are grouped by. */
export const STORED_PARTS = ["files", "conversations", "facts", "history", "index"] as const;
export type StoredPart = (typeof STORED_PARTS)[number];

/** The size of one table with its indexes and long values. */
export interface TableSize {
  schemaName: string;
  part: StoredPart;
  bytes: number;
  deadRows: number;
  /** The size of the dead rows, estimated from their share of all rows. */
  deadBytes: number;
}

const BLOCK_BYTES = 8192;
/** The size of a chunk with its vector and keywords, for an order of agents without measuring. */
const CHUNK_BYTES = 4096;

/**
 * Returns the agents of one tenant with the most content by their counters, which needs no look at
 * their tables.
 */
export async function largestAgentsOfTenant(
  sql: SqlExecutor,
  { tenantId, agentId, limit }: { tenantId: string; agentId: string | undefined; limit: number },
): Promise<StoredAgent[]> {
  const { rows } = await sql.executeSql<StoredAgent>(
    `SELECT a.tenant_id AS "tenantId", t.name AS "tenantName", a.id AS "agentId", a.schema_name AS "schemaName"
       FROM recollect.agents a
       JOIN recollect.tenants t ON t.id = a.tenant_id
       LEFT JOIN recollect.usage u ON u.tenant_id = a.tenant_id AND u.agent_id = a.id
      WHERE a.tenant_id = $1
        AND ($2::text IS NULL OR a.id = $2)
      ORDER BY coalesce(u.bytes + u.history_bytes + u.chunks * ${CHUNK_BYTES}, 0) DESC, a.id
      LIMIT $3`,
    [tenantId, agentId ?? null, limit],
  );
  return rows;
}

/**
 * Returns the agents of all tenants with the largest tables. Postgres noted these sizes at the last
 * vacuum or analysis. Measuring the files of thousands of schemas would take minutes. On a cluster
 * the tables are elsewhere, and the counters decide.
 */
export async function largestAgentsOfServer(sql: SqlExecutor, limit: number): Promise<StoredAgent[]> {
  const { rows } = await sql.executeSql<StoredAgent>(
    `WITH noted AS (
       SELECT c.relnamespace, sum(greatest(c.relpages, 0)::bigint + greatest(coalesce(l.relpages, 0), 0)) * ${BLOCK_BYTES} AS bytes
         FROM pg_class c
         LEFT JOIN pg_class l ON l.oid = c.reltoastrelid
        WHERE c.relkind IN ('r', 'i')
        GROUP BY c.relnamespace)
     SELECT a.tenant_id AS "tenantId", t.name AS "tenantName", a.id AS "agentId", a.schema_name AS "schemaName"
       FROM recollect.agents a
       JOIN recollect.tenants t ON t.id = a.tenant_id
       LEFT JOIN recollect.usage u ON u.tenant_id = a.tenant_id AND u.agent_id = a.id
       LEFT JOIN pg_namespace n ON n.nspname = a.schema_name
       LEFT JOIN noted ON noted.relnamespace = n.oid
      ORDER BY greatest(noted.bytes, u.bytes + u.history_bytes + u.chunks * ${CHUNK_BYTES}) DESC NULLS LAST, a.tenant_id, a.id
      LIMIT $1`,
    [limit],
  );
  return rows;
}

export async function countAllAgents(sql: SqlExecutor): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>("SELECT count(*)::int AS count FROM recollect.agents");
  return rows[0]?.count ?? 0;
}

/**
 * Returns the query that measures the tables of schemas by the sizes of their files. A long
 * value is stored in a second table, whose dead rows count too. A cluster's workers add a number to
 * the names of tables.
 *
 * @param schemas an SQL expression: an array of names
 */
const sizesOf = (schemas: string) => `
  SELECT n.nspname AS "schemaName",
         CASE
           WHEN c.relname ~ '^files(_[0-9]+)?$' THEN 'files'
           WHEN c.relname ~ '^(sessions|messages)(_[0-9]+)?$' THEN 'conversations'
           WHEN c.relname ~ '^(facts|ingests)(_[0-9]+)?$' THEN 'facts'
           WHEN c.relname ~ '^(file_versions|fact_changes|snapshots)(_[0-9]+)?$' THEN 'history'
           ELSE 'index'
         END AS part,
         pg_total_relation_size(c.oid)::float8 AS bytes,
         pg_stat_get_dead_tuples(c.oid)::float8 AS "deadRows",
         floor(pg_relation_size(c.oid) * pg_stat_get_dead_tuples(c.oid)::float8
                 / greatest(pg_stat_get_dead_tuples(c.oid) + pg_stat_get_live_tuples(c.oid), 1)
               + CASE WHEN c.reltoastrelid = 0 THEN 0
                 ELSE pg_relation_size(c.reltoastrelid) * pg_stat_get_dead_tuples(c.reltoastrelid)::float8
                        / greatest(pg_stat_get_dead_tuples(c.reltoastrelid) + pg_stat_get_live_tuples(c.reltoastrelid), 1)
                 END) AS "deadBytes"
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind = 'r'
     AND n.nspname = ANY (${schemas})`;

/**
 * Measures the tables of agents. On a cluster each worker measures its own; a worker that does not
 * answer is left out.
 */
export async function measureTables(sql: SqlExecutor, schemas: readonly string[]): Promise<TableSize[]> {
  if (schemas.length === 0) return [];
  if ((await citusVersion(sql)) === undefined)
    return (await sql.executeSql<TableSize>(sizesOf("$1::text[]"), [schemas])).rows;
  // Citus takes the workers' query as one text, without parameters. The names come from our table of
  // agents and are quoted by the database all the same.
  const { rows } = await sql.executeSql<{ result: string }>(
    `SELECT a.result
       FROM run_command_on_workers(format('SELECT coalesce(json_agg(s), ''[]'')::text FROM (%s) AS s',
              replace($1::text, ':schemas', quote_literal($2::text[]::text) || '::text[]'))) AS a
      WHERE a.success`,
    [sizesOf(":schemas"), schemas],
  );
  return rows.flatMap(({ result }) => JSON.parse(result) as TableSize[]);
}

/** The cached embeddings that an agent's texts were the first to use. */
export interface CachedVectors {
  schemaName: string;
  vectors: number;
  bytes: number;
}

/** The most cached vectors of one agent that are counted. An agent has 50,000 by default. */
const VECTORS_COUNTED = 1_000_000;
/** The number of vectors from whose sizes the size of all is estimated. */
const VECTORS_SAMPLED = 100;
/** The bytes of an entry beside its vector: hash, names, time, and the places in two indexes. */
const ENTRY_BYTES = 450;

export async function measureCache(sql: SqlExecutor, agents: readonly StoredAgent[]): Promise<CachedVectors[]> {
  const { rows } = await sql.executeSql<CachedVectors>(
    `SELECT a.schema_name AS "schemaName", c.vectors::float8 AS vectors,
            floor(c.vectors * (coalesce(s.bytes, 0) + ${ENTRY_BYTES}))::float8 AS bytes
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS a (tenant_id, agent_id, schema_name)
      CROSS JOIN LATERAL (
        SELECT count(*) AS vectors
          FROM (
            SELECT FROM recollect.embedding_cache e
             WHERE e.tenant_id = a.tenant_id
               AND e.agent_id = a.agent_id
             LIMIT ${VECTORS_COUNTED}) AS counted) AS c
      CROSS JOIN LATERAL (
        SELECT avg(pg_column_size(sampled.embedding)) AS bytes
          FROM (
            SELECT e.embedding
              FROM recollect.embedding_cache e
             WHERE e.tenant_id = a.tenant_id
               AND e.agent_id = a.agent_id
             LIMIT ${VECTORS_SAMPLED}) AS sampled) AS s`,
    [
      agents.map(({ tenantId }) => tenantId),
      agents.map(({ agentId }) => agentId),
      agents.map(({ schemaName }) => schemaName),
    ],
  );
  return rows;
}

/** The sizes that belong to no agent. */
export interface ServerSizes {
  /** The whole database; on a cluster the coordinator's part. */
  databaseBytes: number;
  /** All cached embeddings of all tenants. */
  cacheBytes: number;
  /** Tenants, keys, usage, audit log, receipts and the other tables of the control schema. */
  controlBytes: number;
  jobsBytes: number;
  spareSchemas: number;
  spareBytes: number;
  /** The write-ahead log that replication slots hold back; null on a standby. */
  heldLogBytes: number | null;
}

export async function measureServer(sql: SqlExecutor): Promise<ServerSizes> {
  const { rows } = await sql.executeSql<ServerSizes>(
    `WITH ours AS (
       SELECT c.oid, n.nspname, c.relname
         FROM pg_class c
         JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r'
          AND (n.nspname IN ('recollect', 'recollect_jobs')
               OR n.nspname IN (SELECT schema_name FROM recollect.spare_spaces))),
     sizes AS (SELECT nspname, relname, pg_total_relation_size(oid) AS bytes FROM ours)
     SELECT pg_database_size(current_database())::float8 AS "databaseBytes",
            coalesce(sum(bytes) FILTER (WHERE nspname = 'recollect' AND relname = 'embedding_cache'), 0)::float8 AS "cacheBytes",
            coalesce(sum(bytes) FILTER (WHERE nspname = 'recollect' AND relname <> 'embedding_cache'), 0)::float8 AS "controlBytes",
            coalesce(sum(bytes) FILTER (WHERE nspname = 'recollect_jobs'), 0)::float8 AS "jobsBytes",
            (SELECT count(*)::int FROM recollect.spare_spaces) AS "spareSchemas",
            coalesce(sum(bytes) FILTER (WHERE nspname NOT IN ('recollect', 'recollect_jobs')), 0)::float8 AS "spareBytes",
            CASE WHEN pg_is_in_recovery() THEN NULL
              ELSE (SELECT coalesce(max(pg_current_wal_lsn() - restart_lsn), 0)::float8 FROM pg_replication_slots)
            END AS "heldLogBytes"
       FROM sizes`,
  );
  return rows[0] as ServerSizes;
}
