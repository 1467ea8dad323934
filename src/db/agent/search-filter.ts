import { type FactFilter, factCondition } from "./fact-filter.ts";
import type { SchemaName } from "./schema-name.ts";

/** What a search leaves out before it begins. */
export interface SearchFilter {
  /** Days, `YYYY-MM-DD`: from this one on, and before that one. */
  after?: string | undefined;
  before?: string | undefined;
  /** Paths of files or sessions, of which one must fit; `*` stands for any characters, a folder ends with `/`. */
  paths?: readonly string[] | undefined;
  /** Only facts, and of these only such. `few`: so few, for themselves or among all chunks, that each is looked at. */
  facts?: (FactFilter & { few: boolean }) | undefined;
}

/** Where a row says what chunk it is about: `id` of the chunks, `chunk_id` of the vectors. */
type ChunkColumn = "id" | "chunk_id";

/** Part of a statement: ` AND` the row's chunk passes, or nothing when all do. Values are appended to `values`. */
export function passing(
  index: { schema: SchemaName; generationId: number },
  filter: SearchFilter | undefined,
  column: ChunkColumn,
  values: unknown[],
): string {
  if (filter?.facts) return ` AND ${passingFact(index, filter.facts, column, values)}`;
  const ids = filteredIds(index, filter, values);
  return ids ? ` AND ${column} IN ${ids}` : "";
}

function filteredIds(
  index: { schema: SchemaName; generationId: number },
  filter: SearchFilter | undefined,
  values: unknown[],
): string | undefined {
  const conditions: string[] = [];
  if (filter?.after !== undefined) conditions.push(`day >= $${values.push(filter.after)}`);
  if (filter?.before !== undefined) conditions.push(`day < $${values.push(filter.before)}`);
  if (filter?.paths !== undefined) conditions.push(`path LIKE ANY ($${values.push(filter.paths.map(toLike))}::text[])`);
  if (conditions.length === 0) return undefined;
  return `(SELECT id FROM (${chunksWithPlace(index)}) AS placed WHERE ${conditions.join(" AND ")})`;
}

/** Asked of one row after the other: of many facts only the candidates are looked up. */
function passingFact(
  { schema, generationId }: { schema: SchemaName; generationId: number },
  filter: FactFilter,
  column: ChunkColumn,
  values: unknown[],
): string {
  const condition = factCondition("x", filter, values);
  // `IS NOT NULL` says what the index of the facts' chunks is made for.
  if (column === "id")
    return `fact_id IS NOT NULL AND EXISTS (SELECT FROM ${schema}.facts x WHERE x.id = fact_id AND ${condition})`;
  return `EXISTS (SELECT FROM ${schema}.chunks_${generationId} c JOIN ${schema}.facts x ON x.id = c.fact_id
                   WHERE c.id = chunk_id AND ${condition})`;
}

/**
 * The day of a chunk: that of the file's name `memory/YYYY-MM-DD…`, else when the file was changed, and of a session's chunk
 * that of its last message. Days are compared as text: a name such as `2026-13-45` is no date, and no error either.
 */
function chunksWithPlace({ schema, generationId }: { schema: SchemaName; generationId: number }): string {
  const dayOf = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD')`;
  return `SELECT c.id, f.path, coalesce(substring(f.path from '(?:^|/)memory/(\\d{4}-\\d{2}-\\d{2})[^/]*$'), ${dayOf("f.mtime")}) COLLATE "C" AS day
       FROM ${schema}.chunks_${generationId} c JOIN ${schema}.files f ON f.id = c.file_id
     UNION ALL
     SELECT c.id, 'sessions/' || s.key, ${dayOf("m.at")} COLLATE "C"
       FROM ${schema}.chunks_${generationId} c JOIN ${schema}.sessions s ON s.id = c.session_id
       JOIN ${schema}.messages m ON m.session_id = c.session_id AND m.seq = c.last_message`;
}

function toLike(pattern: string): string {
  const glob = pattern.endsWith("/") ? `${pattern}*` : pattern;
  return glob.replace(/[\\%_]/g, "\\$&").replace(/\*+/g, "%");
}
