import { noteChangeSql } from "../../../db/agent/facts/fact-changes.ts";
import { FACT_COLUMNS, type FactRow } from "../../../db/agent/facts/facts.ts";
import { ownFile } from "../../../db/agent/files/files.ts";
import type { RoleName, SchemaName } from "../../../db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../../db/database.ts";

/**
 * A unit of an agent's memory, by kind and key, with a hash of its state. A file's key is its path.
 * Facts are grouped into timelines: either the facts of one key, scope and subject (one of them
 * holds at a time), or the facts of one text, scope and subject.
 */
export interface StateRow {
  kind: "file" | "fact";
  key: string;
  hash: string;
}

/** A unit of the agent's present memory. */
export interface HeldRow extends StateRow {
  /**
   * A hash of the facts of a timeline that hold, whenever they were stored; null for a file, or
   * when none holds.
   */
  holds: string | null;
}

const TIMELINE = `md5(concat_ws(chr(31), f.key IS NULL, coalesce(f.key, f.text_hash), f.scope_user, f.scope_agent, f.scope_session,
  f.subject_folded))`;
/**
 * The values of a fact that a change can alter, except its end. A confirmation does not count as a
 * change.
 */
const CONTENT = `concat_ws(chr(31), f.text_hash, f.category, f.importance, array_to_json(f.tags), f.decay_class,
  coalesce(extract(epoch FROM f.expires_at)::text, ''))`;
const STATE = `md5(concat_ws(chr(31), ${CONTENT}, extract(epoch FROM f.valid_from),
  coalesce(extract(epoch FROM f.valid_to)::text, ''), coalesce(f.ended_by, '')))`;
/** The identity of a fact across agents, because its id differs between them. */
const IDENTITY = `md5(concat_ws(chr(31), ${TIMELINE}, f.text_hash, extract(epoch FROM f.valid_from)))`;

/**
 * Returns SQL for an agent's present units. Files of the server's folders are left out because the
 * agent cannot change them.
 */
const stateSql = (schema: SchemaName) =>
  `SELECT 'file' AS kind, path AS key, content_hash AS hash, NULL AS holds
     FROM ${schema}.files
    WHERE ${ownFile()}
   UNION ALL
   SELECT 'fact', key, md5(string_agg(state, '' ORDER BY state)),
          md5(string_agg(content, '' ORDER BY content) FILTER (WHERE is_open))
     FROM (
       SELECT ${TIMELINE} AS key, ${STATE} AS state, md5(${CONTENT}) AS content,
              f.valid_to IS NULL AS is_open
         FROM ${schema}.facts f) AS f
    GROUP BY key`;

/** Returns an agent's present units. */
export async function readState(sql: SqlExecutor, schema: SchemaName): Promise<HeldRow[]> {
  return (await sql.executeSql<HeldRow>(stateSql(schema))).rows;
}

/** A fact with its timeline. */
export interface TimelineFact extends FactRow {
  timeline: string;
  /** The identity of the fact, which is equal for the same fact in two agents. */
  identity: string;
  state: string;
  /**
   * The identity of the fact that replaced it; null when there is none. If several facts have that
   * identity, it names the first.
   */
  successor: string | null;
}

/** Returns all facts of timelines, ordered by the start of their validity. */
export async function factsOfTimelines(
  sql: SqlExecutor,
  schema: SchemaName,
  timelines: readonly string[],
): Promise<TimelineFact[]> {
  if (timelines.length === 0) return [];
  const { rows } = await sql.executeSql<TimelineFact>(
    `SELECT ${FACT_COLUMNS}, ${TIMELINE} AS timeline, ${STATE} AS state,
            -- Equal facts with the same start may exist twice, so they are numbered.
            ${IDENTITY} || row_number() OVER (PARTITION BY ${IDENTITY} ORDER BY f.valid_to, f.id)
              AS identity,
            (
              SELECT ${IDENTITY.replaceAll("f.", "s.")} || 1
                FROM ${schema}.facts s
               WHERE s.id = f.superseded_by) AS successor
       FROM ${schema}.facts f
      WHERE ${TIMELINE} = ANY($1::text[])
      ORDER BY f.valid_from, f.id`,
    [timelines],
  );
  return rows;
}

/** Returns the ids of the facts that exist, by their identities. */
export async function idsOfFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  identities: readonly string[],
): Promise<Map<string, string>> {
  if (identities.length === 0) return new Map();
  const { rows } = await sql.executeSql<{ identity: string; id: string }>(
    `SELECT DISTINCT ON (${IDENTITY}) ${IDENTITY} || 1 AS identity, f.id::text AS id
       FROM ${schema}.facts f
      WHERE ${IDENTITY} || 1 = ANY($1::text[])
      ORDER BY ${IDENTITY}, f.valid_to, f.id`,
    [identities],
  );
  return new Map(rows.map(({ identity, id }) => [identity, id]));
}

/**
 * Gives facts the state of the corresponding facts of another agent, without the links to their
 * successors, which the caller must restore. Texts and scopes stay.
 *
 * @param changed the ids of the facts that the agent had before; only their changes are recorded
 * @param ended the ids among `changed` whose facts the new state ends: a view of an earlier time
 *   must know their end
 */
export async function giveFactStates(
  sql: SqlExecutor,
  schema: SchemaName,
  facts: readonly FactRow[],
  { changed, ended, now, by }: { changed: readonly string[]; ended: readonly string[]; now: Date; by: string },
): Promise<void> {
  if (facts.length === 0) return;
  const column = <T>(of: (fact: FactRow) => T) => facts.map(of);
  const instant = (of: (fact: FactRow) => Date | null) => facts.map((one) => of(one)?.toISOString() ?? null);
  await sql.executeSql(
    `WITH changed AS (
       ${noteChangeSql(schema, { ids: "$10", kind: "merged", at: "$12", by: "$13::text" })}
     ), ended AS (
       ${noteChangeSql(schema, { ids: "$11", kind: "superseded", at: "$12", by: "$13::text" })}
     )
     UPDATE ${schema}.facts f
        SET category = n.category, importance = n.importance, decay_class = n.decay_class,
            tags = ARRAY(SELECT jsonb_array_elements_text(n.tags::jsonb)), valid_to = n.valid_to,
            ended_by = n.ended_by, superseded_by = NULL, expires_at = n.expires_at,
            confirmed_at = greatest(f.confirmed_at, n.confirmed_at), updated_at = $12
       FROM unnest($1::bigint[], $2::text[], $3::real[], $4::text[], $5::text[], $6::timestamptz[],
                   $7::text[], $8::timestamptz[], $9::timestamptz[])
         AS n (id, category, importance, decay_class, tags, valid_to, ended_by, expires_at,
               confirmed_at)
      WHERE f.id = n.id`,
    [
      column((one) => one.id),
      column((one) => one.category),
      column((one) => one.importance),
      column((one) => one.decayClass),
      column((one) => JSON.stringify(one.tags)),
      instant((one) => one.validTo),
      column((one) => one.endedBy),
      instant((one) => one.expiresAt),
      instant((one) => one.confirmedAt),
      ...[changed, ended, now, by],
    ],
  );
}

/**
 * Creates the table of a branch's base: the units that the branch had when it was made. Run with
 * the service's own role. Only branches have this table: at 10,000 agents every table adds 10,000
 * rows to each of several catalogues. A migration of this table must use ALTER TABLE IF EXISTS.
 */
export async function createBranchBase(sql: SqlExecutor, schema: SchemaName, role: RoleName): Promise<void> {
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${schema}.branch_base (
    kind text COLLATE "C", key text COLLATE "C", hash text NOT NULL, PRIMARY KEY (kind, key))`);
  await sql.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.branch_base TO ${role}`);
}

/** Stores the branch's present units as its base. */
export async function noteBase(sql: SqlExecutor, schema: SchemaName): Promise<void> {
  await sql.executeSql(`DELETE FROM ${schema}.branch_base`);
  await sql.executeSql(
    // In a CTE of its own: Citus 13.2 cannot deparse an INSERT … SELECT that calls functions which
    // Citus evaluates itself.
    `WITH s AS MATERIALIZED (${stateSql(schema)})
     INSERT INTO ${schema}.branch_base (kind, key, hash)
     SELECT kind, key, hash
       FROM s`,
  );
}

/** Returns the units that a branch had when it was made or last merged. */
export async function readBase(sql: SqlExecutor, schema: SchemaName): Promise<StateRow[]> {
  return (await sql.executeSql<StateRow>(`SELECT kind, key, hash FROM ${schema}.branch_base`)).rows;
}

/**
 * Updates the units in the base of a branch, with which the next merge compares. A change without a
 * hash removes a unit that the branch no longer has.
 */
export async function changeBase(
  sql: SqlExecutor,
  schema: SchemaName,
  changes: readonly { kind: StateRow["kind"]; key: string; hash: string | undefined }[],
): Promise<void> {
  const column = <T>(of: (one: (typeof changes)[number]) => T) => changes.map(of);
  await sql.executeSql(
    `WITH asked AS (
       SELECT *
         FROM unnest($1::text[], $2::text[], $3::text[]) AS n (kind, key, hash)
     ), gone AS (
       DELETE FROM ${schema}.branch_base b
        USING asked a
        WHERE a.hash IS NULL
          AND b.kind = a.kind
          AND b.key = a.key
     )
     INSERT INTO ${schema}.branch_base (kind, key, hash)
     SELECT kind, key, hash
       FROM asked
      WHERE hash IS NOT NULL
     ON CONFLICT (kind, key) DO UPDATE SET hash = excluded.hash`,
    [column((one) => one.kind), column((one) => one.key), column((one) => one.hash ?? null)],
  );
}
