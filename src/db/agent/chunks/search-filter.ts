import type { DaySpan } from "../../../base/civil-day.ts";
import type { SqlExecutor } from "../../database.ts";
import { type FactFilter, factCondition } from "../facts/fact-filter.ts";
import { sessionPathSql } from "../files/session-paths.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { type Scope, visibleToSql } from "../schema/scope.ts";
import { SOURCE_NUMBER } from "../schema/source-number.ts";
import { likeFolder, likePatterns, mostPathBytes } from "./path-patterns.ts";

/** The conditions that a search applies before it looks for hits. */
export interface SearchFilter {
  /** Only texts of the days of one of these spans. */
  days?: readonly DaySpan[] | undefined;
  /** Only texts of a period that the question names: of the days of one of these spans. */
  period?: readonly DaySpan[] | undefined;
  /**
   * Patterns for paths of files or sessions; one of them must match. `*` stands for any characters;
   * a folder ends with `/`.
   */
  paths?: readonly string[] | undefined;
  /** Only files that were last changed up to this time, and messages up to this time. */
  standing?: Date | undefined;
  /**
   * The text that is put before each path that is compared with `paths`: the path prefix of a
   * shared memory.
   */
  prefix?: string | undefined;
  /**
   * The shared folders of a shared memory: a file must be in one of them, besides passing the rest
   * of the filter.
   */
  folders?: readonly string[] | undefined;
  /** The ids of the chunks that pass the filter; set by `narrowed` when there are few. */
  chunkIds?: readonly string[];
  /**
   * Only facts that pass this filter. `few`: so few, in number or in proportion to all chunks, that
   * each is checked one by one.
   */
  facts?: (FactFilter & { few: boolean }) | undefined;
  /**
   * Facts must pass this filter, and conversations must be visible to its reader. Other sources are
   * not affected.
   */
  believed?: FactFilter | undefined;
}

/** Returns whether a search leaves anything out. */
export function isFiltered({ prefix: _, ...filter }: SearchFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** The column of a row that has the chunk's id: a row of chunks, or of vectors. */
type ChunkColumn = "c.id" | "k.id" | "chunk_id";

interface Index {
  schema: SchemaName;
  generationId: number;
}

/**
 * Returns part of a statement: ` AND` the row's chunk passes the filter, or nothing when all chunks
 * pass. Appends its values to `values`. Each row is checked by itself, so a statement that reads
 * few rows checks few.
 */
export function passing(
  index: Index,
  filter: SearchFilter | undefined,
  column: ChunkColumn,
  values: unknown[],
): string {
  if (filter?.facts) return ` AND ${passingFact(index, filter.facts, column, values)}`;
  return passingPlace(index, filter, column, values) + passingBelief(index, filter?.believed, column, values);
}

function passingPlace(index: Index, filter: SearchFilter | undefined, column: ChunkColumn, values: unknown[]): string {
  if (filter?.chunkIds) return ` AND ${column} = ANY($${values.push(filter.chunkIds)}::bigint[])`;
  const places = placesSql(index, filter, values);
  if (!places) return "";
  // A scalar value instead of a condition: Postgres would turn a condition into a join, and read
  // every chunk to join it with a few rows.
  return ` AND (SELECT EXISTS (SELECT FROM ${places.file} AND f.id = p.file_id)
                    OR EXISTS (SELECT FROM ${places.session} AND s.id = p.session_id AND ${messageOf(filter, "p")})
                    OR EXISTS (SELECT FROM ${places.fact} AND x.id = p.fact_id)
                  FROM ${index.schema}.chunks_${index.generationId} AS p
                 WHERE p.id = ${column})`;
}

/**
 * The bounds of `fewOf`: up to `least` passing chunks are read one by one in any index, and at most
 * `most` in the largest.
 */
const FEW_CHUNKS = { least: 5000, most: 50_000 };
/**
 * The cost of a scan's work for one candidate, times the number of candidates it must find, in
 * units of reading one chunk.
 */
const SCAN_COST = 10 * 128;

/**
 * Returns up to how many passing chunks are read one by one. If n of N chunks pass, reading them
 * costs n, and a scan of the index meets N / n candidates for each passing one. Both cost the same
 * at n = sqrt(SCAN_COST N).
 */
function fewOf(chunks: number): number {
  return Math.min(FEW_CHUNKS.most, Math.max(FEW_CHUNKS.least, Math.round(Math.sqrt(SCAN_COST * chunks))));
}

/**
 * How many rows of an index that is not narrowed are checked one by one, most of them by a scan of
 * the vectors.
 */
const LOOKED_AT = 20_000;

/**
 * Returns whether the patterns of a filter can be compared with all paths of a memory at acceptable
 * cost. The cost includes the rows that are checked one by one, because the patterns are compared
 * again for each of them. Sends a statement only for patterns that may take long.
 */
export async function isComparable(
  sql: SqlExecutor,
  { schema, chunkCount }: Index & { chunkCount: number },
  { paths = [], folders }: SearchFilter,
): Promise<boolean> {
  const most = mostPathBytes(paths);
  if (most === undefined) return true;
  const values: unknown[] = [];
  const compared =
    folders === undefined
      ? `${schema}.files UNION ALL SELECT octet_length(key) FROM ${schema}.sessions`
      : `${schema}.files f WHERE ${inFolders(folders, values)}`;
  const { rows } = await sql.executeSql<{ bytes: number; average: number }>(
    `SELECT coalesce(sum(bytes), 0)::float8 AS bytes, coalesce(avg(bytes), 0)::float8 AS average
       FROM (SELECT octet_length(path) AS bytes FROM ${compared}) AS paths`,
    values,
  );
  const [{ bytes, average } = { bytes: 0, average: 0 }] = rows;
  return bytes + average * Math.min(chunkCount, LOOKED_AT) <= most;
}

/**
 * Returns the filter with the ids of the chunks that pass, if there are few. Then both arms are
 * exact; a scan of an index would end before it has found enough of these chunks. Sends one
 * statement, or none if the filter has no path, date or reader's scope, or is only for facts.
 */
export async function narrowed(
  sql: SqlExecutor,
  index: Index & { chunkCount: number; least?: number },
  filter: SearchFilter,
  sources: readonly number[],
): Promise<SearchFilter> {
  const values: unknown[] = [sources];
  const places = placesSql(index, filter, values);
  const reader = filter.believed?.visibleTo;
  if (filter.facts && filter.period) return factsOfPeriod(sql, index, filter);
  if ((!places && !reader) || filter.facts) return filter;
  const chunks = `${index.schema}.chunks_${index.generationId}`;
  const few = Math.max(index.least ?? 0, fewOf(index.chunkCount));
  const believed = filter.believed ? ` AND ${factCondition("x", filter.believed, values)}` : "";
  const visible = reader ? ` AND ${visibleToSql("s", reader, values)}` : "";
  const file = places?.file ?? `${index.schema}.files f`;
  const fact = places?.fact ?? `${index.schema}.facts x WHERE true`;
  const session = places
    ? `${places.session} JOIN ${chunks} AS c ON c.session_id = m.session_id AND ${messageOf(filter, "c")}`
    : `${index.schema}.sessions s JOIN ${chunks} AS c ON c.session_id = s.id`;
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT id
       FROM (
         SELECT c.id
           FROM ${chunks} AS c
          WHERE ${SOURCE_NUMBER.memory} = ANY($1::smallint[])
            AND c.file_id IN (SELECT f.id FROM ${file})
         UNION ALL
         SELECT DISTINCT c.id
           FROM ${session}
          WHERE ${SOURCE_NUMBER.sessions} = ANY($1::smallint[])${visible}
         UNION ALL
         SELECT c.id
           FROM ${chunks} AS c
          WHERE c.fact_id IS NOT NULL
            AND c.source = ANY($1::smallint[])
            AND c.fact_id IN (SELECT x.id FROM ${fact}${believed})) AS placed
      LIMIT ${few + 1}`,
    values,
  );
  return rows.length > few ? filter : { ...filter, chunkIds: rows.map((row) => row.id) };
}

/** The most facts of a period that a fact search compares beside its usual candidates. */
const MAX_FACTS_OF_PERIOD = 1000;

/** Returns the filter with the chunks of the facts that hold since a day of the period. */
async function factsOfPeriod(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  filter: SearchFilter,
): Promise<SearchFilter> {
  const values: unknown[] = [];
  // A parameter that no condition uses would be an error.
  const period = filter.period?.map(({ fromAt, toAt }) => ({ fromAt, toAt }));
  const dated = dayConditions({ period }, values).map((condition) => ` AND ${condition("x.valid_from")}`);
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT c.id
       FROM ${schema}.facts x
       JOIN ${schema}.chunks_${generationId} AS c ON c.fact_id = x.id
      WHERE ${factCondition("x", filter.facts ?? {}, values)}${dated.join("")}
      ORDER BY x.id DESC
      LIMIT ${MAX_FACTS_OF_PERIOD}`,
    values,
  );
  return { ...filter, chunkIds: rows.map((row) => row.id) };
}

/**
 * Returns part of a statement: ` AND` the row `c` of chunks is shared. With folders, its file must
 * be in one of them; without folders, its fact or session must be visible to everybody.
 */
export function sharedSql({ schema }: Pick<Index, "schema">, { folders }: SearchFilter, values: unknown[]): string {
  if (folders !== undefined)
    return ` AND c.file_id IN (SELECT f.id FROM ${schema}.files f WHERE ${inFolders(folders, values)})`;
  const fact = visibleToSql("x", {}, values);
  const session = visibleToSql("s", {}, values);
  return ` AND (c.fact_id IS NULL OR c.fact_id IN (SELECT x.id FROM ${schema}.facts x WHERE ${fact}))
           AND (c.session_id IS NULL OR c.session_id IN (SELECT s.id FROM ${schema}.sessions s WHERE ${session}))`;
}

function inFolders(folders: readonly string[], values: unknown[]): string {
  return `f.path LIKE ANY ($${values.push(folders.map(likeFolder))}::text[])`;
}

/**
 * Returns the condition on the messages `m` by which a chunk of a session passes a filter by time: one of its
 * messages does. The others are not shown.
 */
function messageOf(filter: SearchFilter | undefined, chunk: "c" | "p"): string {
  const isOfTime = filter?.days || filter?.period || filter?.standing;
  return isOfTime ? `m.seq BETWEEN ${chunk}.first_message AND ${chunk}.last_message` : `m.seq = ${chunk}.last_message`;
}

/** Makes a condition on a row: its moment, or its day if it has one, is in one of the spans. */
type DayCondition = (at: string, day?: string) => string;

function inSpans(spans: readonly DaySpan[], values: unknown[]): DayCondition {
  const numbered = spans.map(({ from, to, fromAt, toAt }) => ({
    from: from === undefined ? undefined : `$${values.push(from)}::date`,
    to: to === undefined ? undefined : `$${values.push(to)}::date`,
    fromAt: fromAt === undefined ? undefined : `$${values.push(fromAt)}::timestamptz`,
    toAt: toAt === undefined ? undefined : `$${values.push(toAt)}::timestamptz`,
  }));
  const between = (column: string, from: string | undefined, to: string | undefined) =>
    [...(from ? [`${column} >= ${from}`] : []), ...(to ? [`${column} < ${to}`] : [])].join(" AND ") || "true";
  // Each branch names its column alone, so that an index of the column serves it.
  const one = (at: string, day: string | undefined) => (span: (typeof numbered)[number]) => {
    const byTime = between(at, span.fromAt, span.toAt);
    if (day === undefined) return `(${byTime})`;
    return `(${day} IS NOT NULL AND ${between(day, span.from, span.to)} OR ${day} IS NULL AND ${byTime})`;
  };
  return (at, day) => `(${numbered.map(one(at, day)).join(" OR ") || "false"})`;
}

function dayConditions({ days, period }: SearchFilter, values: unknown[]): DayCondition[] {
  return [days, period].flatMap((spans) => (spans === undefined ? [] : [inSpans(spans, values)]));
}

/**
 * Returns part of a statement: ` AND` the day and the path of the file version `v` pass the filter.
 */
export function passingVersion(filter: SearchFilter, values: unknown[]): string {
  const { paths } = filter;
  const conditions = [
    ...dayConditions(filter, values).map((condition) => condition("v.mtime", "v.day")),
    ...(paths === undefined ? [] : [`v.path LIKE ANY ($${values.push(likePatterns(paths))}::text[])`]),
  ];
  return conditions.map((condition) => ` AND ${condition}`).join("");
}

/**
 * Returns the texts after FROM for the files `f`, the messages `m` of sessions `s`, and the facts
 * `x` whose place and day pass. The day of a file is the day that it is about, or else of its last
 * change; the day of a fact is the day since which it holds.
 */
function placesSql({ schema }: Index, filter: SearchFilter | undefined, values: unknown[]) {
  const conditions: ((path: string) => string)[] = [];
  // This condition comes first, so that paths outside the shared folders are compared with nothing
  // else.
  if (filter?.folders !== undefined) {
    const folders = values.push(filter.folders.map(likeFolder));
    conditions.push((path) => `${path} LIKE ANY ($${folders}::text[])`);
  }
  const days = dayConditions(filter ?? {}, values);
  if (filter?.paths !== undefined) {
    const paths = values.push(likePatterns(filter.paths));
    const shown = filter.prefix === undefined ? "" : `$${values.push(filter.prefix)}::text || `;
    conditions.push((path) => `${shown}${path} LIKE ANY ($${paths}::text[])`);
  }
  const standing = filter?.standing && `$${values.push(filter.standing)}::timestamptz`;
  if (conditions.length === 0 && days.length === 0 && standing === undefined) return undefined;
  const all = (path: string, dated: readonly [at: string, day?: string], at?: string) => {
    const stands = at === undefined || standing === undefined ? [] : [`${at} <= ${standing}`];
    const passes = [...conditions.map((condition) => condition(path)), ...days.map((condition) => condition(...dated))];
    return [...passes, ...stands].join(" AND ") || "true";
  };
  return {
    file: `${schema}.files f WHERE ${all("f.path", ["f.mtime", "f.day"], "f.updated_at")}`,
    fact: `${schema}.facts x WHERE ${all("'facts/' || x.id", ["x.valid_from"])}`,
    session: `${schema}.sessions s JOIN ${schema}.messages m ON m.session_id = s.id
                AND ${all(`(${sessionPathSql("s.key")})`, ["m.at"], "m.at")}`,
  };
}

/**
 * Returns a condition on the fact of one row, checked row by row, so that only the candidates'
 * facts are looked up, however many facts there are.
 */
function passingFact(
  { schema, generationId }: Index,
  filter: FactFilter,
  column: ChunkColumn,
  values: unknown[],
): string {
  const condition = factCondition("x", filter, values);
  // `IS NOT NULL` matches the condition of the partial index over the facts' chunks.
  if (column !== "chunk_id") {
    const factId = column.replace("id", "fact_id");
    return `${factId} IS NOT NULL AND EXISTS (SELECT FROM ${schema}.facts x WHERE x.id = ${factId} AND ${condition})`;
  }
  return `EXISTS (SELECT FROM ${schema}.chunks_${generationId} c
                    JOIN ${schema}.facts x ON x.id = c.fact_id
                   WHERE c.id = chunk_id
                     AND ${condition})`;
}

/**
 * Returns part of a statement that checks facts and, for a reader with a scope, conversations.
 * Chunks of other sources pass.
 */
function passingBelief(index: Index, believed: FactFilter | undefined, column: ChunkColumn, values: unknown[]): string {
  if (!believed) return "";
  const source = column.replace(/chunk_id|id$/, "source");
  const facts = ` AND (${source} NOT IN (${SOURCE_NUMBER.facts}, ${SOURCE_NUMBER.pastFacts}) OR ${passingFact(index, believed, column, values)})`;
  if (!believed.visibleTo) return facts;
  return `${facts} AND (${source} <> ${SOURCE_NUMBER.sessions} OR ${passingSession(index, believed.visibleTo, column, values)})`;
}

function passingSession(
  { schema, generationId }: Index,
  reader: Scope,
  column: ChunkColumn,
  values: unknown[],
): string {
  const visible = visibleToSql("s", reader, values);
  return column === "chunk_id"
    ? `EXISTS (SELECT FROM ${schema}.chunks_${generationId} c
                 JOIN ${schema}.sessions s ON s.id = c.session_id
                WHERE c.id = chunk_id
                  AND ${visible})`
    : `EXISTS (SELECT FROM ${schema}.sessions s WHERE s.id = ${column.replace("id", "session_id")} AND ${visible})`;
}
