import type { VectorTable } from "../../../db/agent/schema/generation-tables.ts";
import type { SchemaName } from "../../../db/agent/schema/schema-name.ts";
import { SOURCE_NUMBER } from "../../../db/agent/schema/source-number.ts";
import type { SqlExecutor } from "../../../db/database.ts";
import { decodeVector, readVector } from "../../../db/vector-codec.ts";

type Index = Pick<VectorTable, "schema" | "generationId">;

/** The most points of a map, and the most of them that are facts if there are other passages. */
export const MAX_POINTS = 5000;
const MAX_FACTS = 2500;

/**
 * Returns the chunks for a map, in the order of their ids: all of a small index, and else the newest
 * facts and chunks at equal distances in the order in which they were stored.
 */
export async function sampleChunks(sql: SqlExecutor, { schema, generationId }: Index): Promise<string[]> {
  const chunks = `${schema}.chunks_${generationId}`;
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT id::text AS id FROM ${chunks} ORDER BY id LIMIT ${MAX_POINTS + 1}`,
  );
  if (rows.length <= MAX_POINTS) return rows.map(({ id }) => id);
  const { rows: facts } = await sql.executeSql<{ id: string }>(
    `SELECT id::text AS id FROM ${chunks} WHERE fact_id IS NOT NULL ORDER BY fact_id DESC LIMIT ${MAX_FACTS}`,
  );
  const { rows: ends } = await sql.executeSql<{ first: number; last: number }>(
    `SELECT min(id)::float8 AS first, max(id)::float8 AS last FROM ${chunks}`,
  );
  const { first, last } = ends[0] ?? { first: 0, last: 0 };
  const most = MAX_POINTS - facts.length;
  const places = Array.from({ length: most }, (_, n) => Math.floor(first + ((last - first) * n) / most));
  const { rows: spread } = await sql.executeSql<{ id: string }>(
    `SELECT DISTINCT c.id::text AS id
       FROM unnest($1::bigint[]) AS p (place),
            LATERAL (SELECT id FROM ${chunks} WHERE id >= p.place ORDER BY id LIMIT 1) AS c`,
    [places],
  );
  const ids = new Set([...facts, ...spread].map(({ id }) => id));
  return [...ids].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/** Returns the vectors of chunks that are embedded and still there, in the order of their ids. */
export async function vectorsOf(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  ids: readonly string[],
): Promise<{ id: string; vector: Float32Array }[]> {
  const { rows } = await sql.executeSql<{ id: string; embedding: string }>(
    `SELECT chunk_id::text AS id, ${readVector("embedding::vector")} AS embedding
       FROM ${schema}.vectors_${generationId}
      WHERE chunk_id = ANY($1::bigint[])
        AND embedding IS NOT NULL
      ORDER BY chunk_id`,
    [ids],
  );
  return rows.map(({ id, embedding }) => ({ id, vector: decodeVector(embedding) }));
}

/** Stores the map of a generation in place of all earlier maps. */
export async function putMap(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  map: { chunks: number; ids: readonly string[]; xs: readonly number[]; ys: readonly number[]; now: Date },
): Promise<void> {
  await sql.executeSql(`DELETE FROM ${schema}.maps WHERE generation_id <> $1`, [generationId]);
  await sql.executeSql(
    `INSERT INTO ${schema}.maps (generation_id, made_at, chunks, chunk_ids, xs, ys)
     VALUES ($1, $2, $3, $4::bigint[], $5::real[], $6::real[])
     ON CONFLICT (generation_id) DO UPDATE
        SET made_at = excluded.made_at, chunks = excluded.chunks, chunk_ids = excluded.chunk_ids, xs = excluded.xs,
            ys = excluded.ys`,
    [generationId, map.now, map.chunks, map.ids, map.xs, map.ys],
  );
}

/** Returns when the map of a generation was made, and of how many chunks; undefined: there is none. */
export async function findMap(
  sql: SqlExecutor,
  { schema, generationId }: Index,
): Promise<{ madeAt: Date; chunks: number } | undefined> {
  const { rows } = await sql.executeSql<{ madeAt: Date; chunks: number }>(
    `SELECT made_at AS "madeAt", chunks FROM ${schema}.maps WHERE generation_id = $1`,
    [generationId],
  );
  return rows[0];
}

/** A point of a map with the passage or fact that it stands for. */
export interface MapPoint {
  x: number;
  y: number;
  source: number;
  heading: string;
  text: string;
  startLine: number;
  path: string | null;
  session: string | null;
  factId: string | null;
  subject: string | null;
  user: string | null;
  importance: number | null;
  at: Date | null;
}

/** The most characters of a text that are read for a title. */
const TITLE_CHARS = 120;

/**
 * Returns the points of a map whose chunks are still there; facts that no longer hold are left out.
 *
 * @param every only each point of this number, for a smaller map
 */
export async function readPoints(
  sql: SqlExecutor,
  { schema, generationId }: { schema: SchemaName; generationId: number },
  every: number,
): Promise<MapPoint[]> {
  const { rows } = await sql.executeSql<MapPoint>(
    `SELECT p.x::float8 AS x, p.y::float8 AS y, c.source, c.heading, left(c.text, ${TITLE_CHARS}) AS text,
            c.start_line AS "startLine", f.path, s.key AS session, a.id::text AS "factId", a.subject,
            coalesce(a.scope_user, s.scope_user) AS "user", a.importance,
            coalesce(a.created_at, s.last_message_at, f.mtime) AS at
       FROM ${schema}.maps m,
            LATERAL unnest(m.chunk_ids, m.xs, m.ys) WITH ORDINALITY AS p (id, x, y, n)
       JOIN ${schema}.chunks_${generationId} c ON c.id = p.id
       LEFT JOIN ${schema}.files f ON f.id = c.file_id
       LEFT JOIN ${schema}.sessions s ON s.id = c.session_id
       LEFT JOIN ${schema}.facts a ON a.id = c.fact_id
      WHERE m.generation_id = $1
        AND p.n % $2 = 0
        AND c.source <> ${SOURCE_NUMBER.pastFacts}
      ORDER BY p.n`,
    [generationId, every],
  );
  return rows;
}
