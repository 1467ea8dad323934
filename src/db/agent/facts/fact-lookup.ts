import type { SqlExecutor } from "../../database.ts";
import { encodeVectors } from "../../vector-codec.ts";
import type { VectorTable } from "../schema/generation-tables.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { sameScopeSql } from "../schema/scope.ts";
import { type FactFilter, factCondition } from "./fact-filter.ts";
import { FACT_COLUMNS, type FactRow, type FactWrite, type IndexedRow } from "./facts.ts";
import { isOfUser, ownerOf, sameSubjectSql } from "./subject.ts";

/** A stored fact that a new fact is compared with. */
export type RelatedFact = Pick<
  FactRow,
  | "id"
  | "text"
  | "subject"
  | "key"
  | "user"
  | "agent"
  | "session"
  | "validFrom"
  | "validTo"
  | "expiresAt"
  | "supersededBy"
> & { textHash: string };

const RELATED = `f.id::text AS id, f.text, f.text_hash AS "textHash", f.subject, f.key, f.scope_user AS "user", f.scope_agent AS agent,
  f.scope_session AS session, f.valid_from AS "validFrom", f.valid_to AS "validTo", f.expires_at AS "expiresAt",
  f.superseded_by::text AS "supersededBy"`;
const SCOPE = "scope_user, scope_agent, scope_session";
const SCOPE_OF_F = "f.scope_user, f.scope_agent, f.scope_session";
/** A condition: the stored fact `f` has the scope and the owner of the new fact `n`. */
const SAME_OWNER = `${sameScopeSql("f", "n")} AND ${sameSubjectSql("f", "n")}`;

/**
 * Returns the stored facts that new facts are compared with, in one statement: open facts with the
 * same scope, subject and text, the facts with the same scope, subject and key just before and just
 * after the new one, and the facts with `ids`.
 */
export async function relatedFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  facts: readonly FactWrite[],
  ids: readonly string[],
): Promise<RelatedFact[]> {
  const neighbour = (comparison: string, order: string) =>
    `SELECT *
       FROM ${schema}.facts f
      WHERE f.key = n.key
        AND ${SAME_OWNER}
        AND f.valid_from ${comparison} n.valid_from
      ORDER BY f.valid_from ${order}, f.id ${order}
      LIMIT 1`;
  const { rows } = await sql.executeSql<RelatedFact>(
    `SELECT DISTINCT ON (f.id) ${RELATED}
       FROM (
         SELECT f.*
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
                       $8::text[], $9::boolean[])
             AS n (text_hash, key, scope_user, scope_agent, scope_session, valid_from, subject,
                   is_user),
                LATERAL (
                  (
                    SELECT *
                      FROM ${schema}.facts f
                     WHERE f.text_hash = n.text_hash
                       AND ${SAME_OWNER}
                       AND (f.valid_to IS NULL OR f.valid_to > n.valid_from))
                  UNION ALL (${neighbour("<=", "DESC")})
                  UNION ALL (${neighbour(">", "ASC")})) AS f
         UNION ALL
         SELECT *
           FROM ${schema}.facts
          WHERE id = ANY($7::bigint[])) AS f
      ORDER BY f.id`,
    [
      facts.map((fact) => fact.textHash),
      facts.map((fact) => fact.key),
      facts.map((fact) => fact.scope.user ?? ""),
      facts.map((fact) => fact.scope.agent ?? ""),
      facts.map((fact) => fact.scope.session ?? ""),
      facts.map((fact) => fact.validFrom.toISOString()),
      ids,
      facts.map((fact) => ownerOf(fact)),
      facts.map((fact) => isOfUser(fact)),
    ],
  );
  return rows;
}

/** Open facts that a new fact may end. */
export interface EndingWish {
  readonly scope: FactWrite["scope"];
  /** Keys. A key that ends in a colon or an @ stands for all keys that begin so, the empty key for facts without one. */
  readonly keys: readonly string[];
  readonly ids: readonly string[];
}

/** The most facts that are looked at to end some of them. */
const MAX_ENDING = 200;

/** Returns the open facts of the same scope that have one of the keys or ids, in one statement. */
export async function factsToEnd(
  sql: SqlExecutor,
  schema: SchemaName,
  wishes: readonly EndingWish[],
): Promise<RelatedFact[]> {
  const wanted = wishes.flatMap(({ scope, keys }) => [...new Set(keys)].map((key) => ({ key, scope })));
  const ids = [...new Set(wishes.flatMap((wish) => wish.ids))];
  if (wanted.length === 0 && ids.length === 0) return [];
  const { rows } = await sql.executeSql<RelatedFact>(
    `SELECT DISTINCT ON (f.id) ${RELATED}
       FROM (
         SELECT f.*
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS n (key, scope_user, scope_agent, scope_session)
           JOIN ${schema}.facts f
             ON ${sameScopeSql("f", "n")}
            AND (f.key = n.key OR (right(n.key, 1) IN (':', '@') AND starts_with(f.key, n.key)) OR (n.key = '' AND f.key IS NULL))
          WHERE f.valid_to IS NULL
         UNION ALL
         SELECT *
           FROM ${schema}.facts
          WHERE id = ANY($5::bigint[])
            AND valid_to IS NULL) AS f
      ORDER BY f.id DESC
      LIMIT ${MAX_ENDING}`,
    [
      wanted.map(({ key }) => key),
      wanted.map(({ scope }) => scope.user ?? ""),
      wanted.map(({ scope }) => scope.agent ?? ""),
      wanted.map(({ scope }) => scope.session ?? ""),
      ids,
    ],
  );
  return rows;
}

/** The most near facts that are returned for one new fact. */
const MAX_NEAR = 5;

/**
 * Returns, for each new fact with a vector, the open facts of its scope and subject within a cosine
 * distance, nearest first. Every open fact of these scopes is fetched once and compared with all new facts. A
 * scope has few facts, so an index over all the agent's vectors would mostly find facts of other
 * scopes. Fetching the facts again for each new one took twenty times as long (50 new facts beside
 * 2,000).
 *
 * @param facts `place` identifies the new fact in the answer
 */
export async function nearFacts(
  sql: SqlExecutor,
  table: VectorTable,
  facts: readonly { place: number; fact: FactWrite; vector: Float32Array }[],
  maxDistance: number,
): Promise<(RelatedFact & { place: number })[]> {
  if (facts.length === 0) return [];
  const { schema, generationId } = table;
  const { rows } = await sql.executeSql<RelatedFact & { place: number }>(
    `WITH n AS MATERIALIZED (
       SELECT place, vector, scope_user, scope_agent, scope_session, valid_from, subject, is_user
         FROM unnest($1::int[], $2::vector[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
                     $8::text[], $9::boolean[])
           AS n (place, vector, scope_user, scope_agent, scope_session, valid_from, subject, is_user)
     ), f AS MATERIALIZED (
       SELECT f.*, v.embedding::vector
         FROM ${schema}.facts f
         JOIN ${schema}.chunks_${generationId} c ON c.fact_id = f.id
         JOIN ${schema}.vectors_${generationId} v ON v.chunk_id = c.id
        WHERE (f.scope_user, f.scope_agent, f.scope_session) IN (
          SELECT scope_user, scope_agent, scope_session
            FROM n)
          AND (f.valid_to IS NULL OR f.valid_to > (SELECT min(valid_from) FROM n))
          AND v.embedding IS NOT NULL
     )
     SELECT *
       FROM (
         SELECT n.place, ${RELATED},
                row_number() OVER (PARTITION BY n.place ORDER BY f.embedding <=> n.vector, f.id)
                  AS nth
           FROM f
           JOIN n ON ${SAME_OWNER}
          WHERE f.embedding <=> n.vector <= $7
            AND (f.valid_to IS NULL OR f.valid_to > n.valid_from)) AS near
      WHERE nth <= ${MAX_NEAR}`,
    [
      facts.map(({ place }) => place),
      encodeVectors(facts.map(({ vector }) => vector)),
      facts.map(({ fact }) => fact.scope.user ?? ""),
      facts.map(({ fact }) => fact.scope.agent ?? ""),
      facts.map(({ fact }) => fact.scope.session ?? ""),
      facts.map(({ fact }) => fact.validFrom.toISOString()),
      maxDistance,
      facts.map(({ fact }) => ownerOf(fact)),
      facts.map(({ fact }) => isOfUser(fact)),
    ],
  );
  return rows;
}

/** A fact as far as deleting it needs it. */
export type ForgottenRow = IndexedRow & Pick<FactRow, "source"> & { bytes: number };

/**
 * Returns the facts that pass a filter, as far as deleting them needs them, oldest first: at most
 * `limit`.
 */
export async function doomedFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: FactFilter,
  limit: number,
): Promise<ForgottenRow[]> {
  const values: unknown[] = [limit];
  const { rows } = await sql.executeSql<ForgottenRow>(
    `SELECT f.id::text AS id, f.text, f.subject, f.key, f.size_bytes AS bytes, f.source
       FROM ${schema}.facts f
      WHERE ${factCondition("f", filter, values)}
      ORDER BY f.id
      LIMIT $1`,
    values,
  );
  return rows;
}

/** Counts the facts that pass a filter. */
export async function countFacts(sql: SqlExecutor, schema: SchemaName, filter: FactFilter): Promise<number> {
  const values: unknown[] = [];
  const { rows } = await sql.executeSql<{ facts: number }>(
    `SELECT count(*)::int AS facts FROM ${schema}.facts f WHERE ${factCondition("f", filter, values)}`,
    values,
  );
  return rows[0]?.facts ?? 0;
}

/** The most replaced facts that are listed for one fact. */
const MAX_REPLACED = 10;

/**
 * Returns a fact, the fact of its scope that replaced it, and the facts of its scope that it
 * replaced. Empty when the fact does not exist.
 */
export async function factWithNeighbours(sql: SqlExecutor, schema: SchemaName, id: string): Promise<FactRow[]> {
  const { rows } = await sql.executeSql<FactRow>(
    `WITH it AS (SELECT * FROM ${schema}.facts WHERE id = $1)
     SELECT ${FACT_COLUMNS}
       FROM (
         SELECT *
           FROM it
         UNION ALL
         SELECT f.*
           FROM ${schema}.facts f
           JOIN it ON f.id = it.superseded_by AND ${sameScopeSql("f", "it")}
         UNION ALL (
           SELECT f.*
             FROM ${schema}.facts f
             JOIN it ON f.superseded_by = it.id AND ${sameScopeSql("f", "it")}
            ORDER BY f.valid_from DESC, f.id DESC
            LIMIT ${MAX_REPLACED})) AS facts`,
    [id],
  );
  return rows;
}

/** The most versions of a fact that are returned; the oldest ones beyond it are left out. */
const MAX_VERSIONS = 1000;

/**
 * Returns all versions of a fact, oldest first: its predecessors, the fact itself, and its
 * successors. All have the same scope.
 */
export async function factHistory(sql: SqlExecutor, schema: SchemaName, id: string): Promise<FactRow[]> {
  const { rows } = await sql.executeSql<FactRow>(
    `WITH RECURSIVE later AS (
       SELECT id, superseded_by, ${SCOPE}
         FROM ${schema}.facts
        WHERE id = $1
       UNION
       SELECT f.id, f.superseded_by, ${SCOPE_OF_F}
         FROM ${schema}.facts f
         JOIN later l ON f.id = l.superseded_by AND ${sameScopeSql("f", "l")}
     ), versions AS (
       SELECT id, ${SCOPE}
         FROM later
       UNION
       SELECT f.id, ${SCOPE_OF_F}
         FROM ${schema}.facts f
         JOIN versions v ON f.superseded_by = v.id AND ${sameScopeSql("f", "v")}
     )
     SELECT *
       FROM (
         SELECT ${FACT_COLUMNS}
           FROM ${schema}.facts
          WHERE id IN (SELECT id FROM versions)
          ORDER BY valid_from DESC, facts.id DESC
          LIMIT ${MAX_VERSIONS}) AS newest
      ORDER BY "validFrom", id::bigint`,
    [id],
  );
  return rows;
}

/**
 * Returns these facts and all their earlier versions of the same scope: the facts that must be
 * deleted to forget them.
 */
export async function factsWithVersions(
  sql: SqlExecutor,
  schema: SchemaName,
  ids: readonly string[],
): Promise<ForgottenRow[]> {
  const { rows } = await sql.executeSql<ForgottenRow>(
    `WITH RECURSIVE doomed AS (
       SELECT id, ${SCOPE}
         FROM ${schema}.facts
        WHERE id = ANY($1::bigint[])
       UNION
       SELECT f.id, ${SCOPE_OF_F}
         FROM ${schema}.facts f
         JOIN doomed d ON f.superseded_by = d.id AND ${sameScopeSql("f", "d")}
     )
     SELECT id::text AS id, text, subject, key, size_bytes AS bytes, source
       FROM ${schema}.facts
      WHERE id IN (SELECT id FROM doomed)
      ORDER BY facts.id`,
    [ids],
  );
  return rows;
}
