import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { type FactFilter, factCondition } from "./fact-filter.ts";
import { FACT_COLUMNS, type FactRow } from "./facts.ts";

/**
 * The number of facts that a page, a count or a sorted list may read. Postgres needs about a tenth of
 * a second for them, and a memory may have a million facts. A page that finds too few facts among
 * them ends early, and the next page reads further.
 */
export const MAX_LOOKED_AT = 50_000;

/** The orders of a list: by the time of storing, by importance, or by when a fact was last said. */
export const FACT_SORTS = ["newest", "oldest", "importance", "said"] as const;
export type FactSort = (typeof FACT_SORTS)[number];

/** The place of a fact in a list; `value` is the value that the list is sorted by, as text. */
export interface FactPlace {
  value: string;
  id: string;
}

/** For each order by a value: its expression, and the type that a cursor's value is cast to. */
const VALUES = {
  importance: { sql: "f.importance", type: "real" },
  said: { sql: "(extract(epoch FROM f.confirmed_at) * 1000000)::bigint", type: "bigint" },
} as const;

/**
 * Returns the part of a filter that an index answers (by subject, user, person, source or key), and the
 * rest, which is compared with each fact that the index finds.
 */
function parted(filter: FactFilter): { indexed: FactFilter; rest: FactFilter } {
  const { subject, person, key, sources, scope, ...others } = filter;
  const { user, ...parts } = scope ?? {};
  return { indexed: { subject, person, key, sources, scope: { user } }, rest: { ...others, scope: parts } };
}

/**
 * Returns the SQL of the facts that a list looks at, at most `MAX_LOOKED_AT`, in the order of
 * their ids. Postgres reads no more of them than the query around it needs.
 */
function lookedAtSql(schema: SchemaName, indexed: FactFilter, values: unknown[], from: FromId): string {
  const start = from.id === undefined ? "" : `AND f.id ${from.asc ? ">" : "<"} $${values.push(from.id)}::bigint`;
  return `SELECT *
       FROM ${schema}.facts f
      WHERE ${factCondition("f", indexed, values)} ${start}
      ORDER BY f.id ${from.asc ? "ASC" : "DESC"}
      LIMIT ${MAX_LOOKED_AT}`;
}

interface FromId {
  id: string | undefined;
  asc?: boolean;
}

/** Returns one page of facts, newest first, with ids below `before`. */
export async function listFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: FactFilter,
  page: { before: string | undefined; limit: number },
): Promise<FactRow[]> {
  const after = page.before === undefined ? undefined : { value: "", id: page.before };
  return sortedFacts(sql, schema, filter, { sort: "newest", after, limit: page.limit });
}

/** Returns one page of facts in an order, after a place. */
export async function sortedFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: FactFilter,
  { sort, after, limit }: { sort: FactSort; after: FactPlace | undefined; limit: number },
): Promise<(FactRow & { place: string })[]> {
  const { indexed, rest } = parted(filter);
  const values: unknown[] = [limit];
  const asc = sort === "oldest";
  const byValue = sort === "importance" || sort === "said" ? VALUES[sort] : undefined;
  const looked = lookedAtSql(schema, indexed, values, { id: byValue ? undefined : after?.id, asc });
  const further =
    byValue && after
      ? `AND (${byValue.sql}, f.id) < ($${values.push(after.value)}::${byValue.type}, $${values.push(after.id)}::bigint)`
      : "";
  const order = byValue ? `${byValue.sql} DESC, f.id DESC` : `f.id ${asc ? "ASC" : "DESC"}`;
  const { rows } = await sql.executeSql<FactRow & { place: string }>(
    `SELECT ${FACT_COLUMNS}, ${byValue ? `${byValue.sql}::text` : "''"} AS place
       FROM (${looked}) AS f
      WHERE ${factCondition("f", rest, values)} ${further}
      ORDER BY ${order}
      LIMIT $1`,
    values,
  );
  return rows;
}

/**
 * Returns the last id that a page by id looked at; undefined when it looked at all facts that there
 * are, so that no page follows.
 */
export async function lastLookedAt(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: FactFilter,
  from: FromId,
): Promise<string | undefined> {
  const values: unknown[] = [];
  const looked = lookedAtSql(schema, parted(filter).indexed, values, from);
  const { rows } = await sql.executeSql<{ id: string; facts: number }>(
    `SELECT ${from.asc ? "max" : "min"}(id)::text AS id, count(*)::int AS facts FROM (${looked}) AS f`,
    values,
  );
  return rows[0]?.facts === MAX_LOOKED_AT ? rows[0].id : undefined;
}

/**
 * Counts the facts that pass a filter.
 *
 * @returns `complete`: whether all facts were looked at; if not, `facts` is a least number
 */
export async function countListed(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: FactFilter,
): Promise<{ facts: number; complete: boolean }> {
  const { indexed, rest } = parted(filter);
  const values: unknown[] = [];
  const looked = lookedAtSql(schema, indexed, values, { id: undefined });
  const { rows } = await sql.executeSql<{ facts: number; looked: number }>(
    `SELECT count(*) FILTER (WHERE ${factCondition("f", rest, values)})::int AS facts, count(*)::int AS looked
       FROM (${looked}) AS f`,
    values,
  );
  const { facts, looked: seen } = rows[0] ?? { facts: 0, looked: 0 };
  return { facts, complete: seen < MAX_LOOKED_AT };
}

/** The number of facts of one subject, or for one user. */
export interface CountedFacts {
  /** The subject or the user; empty for the facts without one. */
  name: string;
  /** The subject that most of a user's facts have; null for a row of a subject, or if they have none. */
  subject: string | null;
  facts: number;
  latest: Date;
}

/**
 * Counts facts by subject or by the user of their scope, in the spelling of the latest fact. The
 * facts without one come first, then the names with the most facts, at most `limit` of them.
 *
 * @returns `complete`: whether all facts were looked at, and not only the newest
 */
export async function countPeopleOf(
  sql: SqlExecutor,
  schema: SchemaName,
  by: "subject" | "user",
  filter: FactFilter,
  limit: number,
): Promise<{ rows: CountedFacts[]; complete: boolean }> {
  const { indexed, rest } = parted(filter);
  const values: unknown[] = [limit];
  const looked = lookedAtSql(schema, indexed, values, { id: undefined });
  const group = by === "user" ? "f.scope_user" : "coalesce(f.subject_folded, '')";
  const name = by === "user" ? "f.scope_user" : "coalesce((array_agg(f.subject ORDER BY f.id DESC))[1], '')";
  const subject = by === "user" ? "mode() WITHIN GROUP (ORDER BY f.subject)" : "NULL::text";
  const { rows } = await sql.executeSql<CountedFacts & { looked: number }>(
    `WITH looked AS MATERIALIZED (${looked})
     SELECT ${name} AS name, ${subject} AS subject, count(*)::int AS facts, max(f.confirmed_at) AS latest,
            (SELECT count(*)::int FROM looked) AS looked
       FROM looked f
      WHERE ${factCondition("f", rest, values)}
      GROUP BY ${group}
      ORDER BY ${group} <> '', count(*) DESC, ${group}
      LIMIT $1::int + 1`,
    values,
  );
  const [first] = rows;
  // Without a row there is no number: none of the facts that were looked at passed the filter.
  const { complete } = first ? { complete: first.looked < MAX_LOOKED_AT } : await countListed(sql, schema, filter);
  return { rows, complete };
}
