import type { SqlExecutor } from "../../database.ts";
import { foldedSubject } from "../facts/subject.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import type { ChangePosition, ChangeRow } from "./changes.ts";

/** The conditions that changes must meet. */
export interface ChangeFilter {
  /** A kind, such as `fact.stored`, or its first word, such as `fact`. */
  kind?: string | undefined;
  /** Only changes of facts about this person, or for this user, and of this user's conversations. */
  person?: string | undefined;
  /** Only changes of facts with this key. */
  key?: string | undefined;
  /** Only changes by this caller: a key's prefix, `local` or `system`. */
  by?: string | undefined;
}

/** A stretch of the feed, read backwards. */
export interface ChangeStretch {
  /** The place before which the page begins; undefined: the newest change. */
  before: ChangePosition | undefined;
  /** The times of the oldest and the newest changes. */
  since?: Date | undefined;
  until?: Date | undefined;
  limit: number;
}

/**
 * The most changes of one table that a filtered page looks at: a few milliseconds. A page that finds
 * too little in them ends early, and the next one looks further.
 */
export const MAX_LOOKED_AT = 20_000;

/** Adds a value to the statement, and returns the expression that stands for it. */
type Bind = (value: string) => string;

/** One table of changes: its columns under the names of the feed, and the filters that it knows. */
interface Arm {
  kinds: readonly string[];
  from: string;
  /** Conditions that belong to the arm itself. */
  where?: string;
  at: string;
  number: string;
  kind: string;
  path: string;
  by: string;
  version: string;
  hash: string;
  /** The conditions of a filter by person and by key; absent: no row of the arm passes it. */
  person?: (person: string, bind: Bind) => string;
  key?: (key: string, bind: Bind) => string;
}

const ofFact = {
  version: "NULL::bigint",
  hash: "NULL::text",
  person: (person: string, bind: Bind) =>
    `(f.subject_folded = ${bind(foldedSubject(person) ?? "")} OR f.scope_user = ${bind(person)})`,
  key: (key: string, bind: Bind) => `f.key = ${bind(key)}`,
};

function armsOf(schema: SchemaName): Arm[] {
  const writing = (isNew: string) => `CASE WHEN ${isNew} THEN 'file.created' ELSE 'file.changed' END`;
  return [
    {
      kinds: ["file.created", "file.changed"],
      from: `${schema}.files f`,
      at: "f.updated_at",
      number: "coalesce(f.seq, f.id)",
      kind: writing("coalesce(f.seq, f.id) = coalesce(f.born, f.id)"),
      path: "f.path",
      by: "f.written_by",
      version: "NULL::bigint",
      hash: "f.content_hash",
    },
    {
      kinds: ["file.created", "file.changed"],
      from: `${schema}.file_versions f`,
      at: "f.written_at",
      number: "f.since_seq",
      kind: writing("f.since_seq = f.born"),
      path: "f.path",
      by: "f.written_by",
      version: "f.until_seq",
      hash: "f.content_hash",
    },
    {
      kinds: ["file.deleted"],
      from: `${schema}.file_versions f`,
      where: "f.deleted",
      at: "f.ended_at",
      number: "f.until_seq",
      kind: "'file.deleted'",
      path: "f.path",
      by: "f.ended_by",
      version: "f.until_seq",
      hash: "f.content_hash",
    },
    {
      kinds: ["fact.stored"],
      from: `${schema}.facts f`,
      at: "f.created_at",
      number: "f.id",
      kind: "'fact.stored'",
      path: "'facts/' || f.id",
      by: "f.source->>'by'",
      ...ofFact,
    },
    {
      kinds: ["fact"],
      from: `${schema}.fact_changes c LEFT JOIN ${schema}.facts f ON f.id = c.fact_id`,
      where: "c.kind <> 'confirmed'",
      at: "c.at",
      number: "c.seq",
      kind: "'fact.' || c.kind",
      path: "'facts/' || c.fact_id",
      by: "c.by",
      ...ofFact,
    },
    {
      kinds: ["session.started"],
      from: `${schema}.sessions f`,
      at: "f.created_at",
      number: "f.id",
      kind: "'session.started'",
      path: "f.key",
      by: "NULL::text",
      version: "NULL::bigint",
      hash: "NULL::text",
      person: (person, bind) => `f.scope_user = ${bind(person)}`,
    },
  ];
}

function isFiltered(filter: ChangeFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** Returns the arms in which a filter may find changes. */
function armsFor(schema: SchemaName, { kind, person, key, by }: ChangeFilter): Arm[] {
  const mayBe = (known: string) =>
    kind === undefined || known === kind || known.startsWith(`${kind}.`) || kind.startsWith(`${known}.`);
  return armsOf(schema).filter(
    (arm) =>
      arm.kinds.some(mayBe) &&
      !(person !== undefined && !arm.person) &&
      !(key !== undefined && !arm.key) &&
      !(by !== undefined && arm.by.startsWith("NULL")),
  );
}

const INSTANT = (micros: string) => `timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`;

/** The times of a page as SQL, and their values. */
interface Bound {
  values: unknown[];
  latest: string;
  earliest: string | undefined;
}

function bindTimes({ before, since, until }: ChangeStretch): Bound {
  const values: unknown[] = [];
  const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const latest = before ? INSTANT(bind(before.micros, "bigint")) : bind(until ?? LATEST, "timestamptz");
  return { values, latest, earliest: since && bind(since, "timestamptz") };
}

/** The end of the years that Postgres and JSON both write with four digits. */
const LATEST = new Date("9999-12-31T23:59:59Z");

/** Returns a condition on an arm's columns: the change comes before the place where the page begins. */
function isBeforeSql(arm: Arm, place: ChangePosition | undefined, { latest, values }: Bound): string {
  if (!place) return "true";
  const [number, kind] = [`$${values.push(place.number)}::bigint`, `$${values.push(place.kind)}::text`];
  return `(${arm.at} < ${latest} OR (${arm.number}, (${arm.kind}) COLLATE "C") < (${number}, ${kind} COLLATE "C"))`;
}

function sectionSql(arm: Arm, { latest, earliest }: Bound, columns: string, more: string): string {
  const conditions = [`${arm.at} <= ${latest}`, ...(earliest ? [`${arm.at} >= ${earliest}`] : []), arm.where ?? "true"];
  return `SELECT ${columns}
           FROM ${arm.from}
          WHERE ${conditions.join(" AND ")}
          ORDER BY ${arm.at} DESC
          ${more}`;
}

function filterSql(arm: Arm, filter: ChangeFilter, values: unknown[]): string {
  const bind: Bind = (value) => `$${values.push(value)}::text`;
  const { kind, person, key, by } = filter;
  const conditions: string[] = [];
  if (kind !== undefined) {
    const [whole, word] = [bind(kind), bind(`${kind}.`)];
    conditions.push(`(${arm.kind} = ${whole} OR starts_with(${arm.kind}, ${word}))`);
  }
  if (person !== undefined) conditions.push(arm.person?.(person, bind) ?? "false");
  if (key !== undefined) conditions.push(arm.key?.(key, bind) ?? "false");
  if (by !== undefined) {
    const [whole, word] = [bind(by), bind(`${by} `)];
    conditions.push(`(${arm.by} = ${whole} OR starts_with(${arm.by}, ${word}))`);
  }
  return conditions.length === 0 ? "true" : conditions.join(" AND ");
}

/**
 * Returns one page of the changes of files and facts and of the beginnings of conversations, newest
 * first. Each table is read backwards by an index on its time.
 */
export async function recentChanges(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: ChangeFilter,
  stretch: ChangeStretch,
): Promise<ChangeRow[]> {
  const arms = armsFor(schema, filter);
  if (arms.length === 0) return [];
  const bound = bindTimes(stretch);
  const limit = `$${bound.values.push(stretch.limit)}`;
  const sections = arms.map((arm) => {
    const columns = `${arm.at} AS at, ${arm.number} AS number, (${arm.kind}) COLLATE "C" AS kind, ${arm.path} AS path,
                ${arm.by} AS by, ${arm.version} AS version, ${arm.hash} AS hash, ${isBeforeSql(arm, stretch.before, bound)} AS is_before,
                ${filterSql(arm, filter, bound.values)} AS passes`;
    const looked = sectionSql(arm, bound, columns, `LIMIT ${MAX_LOOKED_AT}`);
    return `(SELECT * FROM (${looked}) AS looked
              WHERE passes AND is_before
              ORDER BY at DESC, number DESC, kind DESC
              LIMIT ${limit})`;
  });
  const { rows } = await sql.executeSql<ChangeRow>(
    `SELECT at, (extract(epoch FROM at) * 1000000)::bigint::text AS micros, number::text AS number, kind, path, by,
            version::text AS version, hash
       FROM (${sections.join(" UNION ALL ")}) AS happened
      ORDER BY at DESC, number DESC, kind DESC
      LIMIT ${limit}`,
    bound.values,
  );
  return rows;
}

/**
 * Returns the time down to which a filtered page has looked at every table; undefined when it has
 * looked at all changes. Older changes of the page must be left to the next page.
 */
export async function lookedBackTo(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: ChangeFilter,
  stretch: ChangeStretch,
): Promise<{ at: Date; micros: string } | undefined> {
  if (!isFiltered(filter)) return undefined;
  const bound = bindTimes(stretch);
  const ends = armsFor(schema, filter).map(
    (arm) => `(${sectionSql(arm, bound, `${arm.at} AS at`, `OFFSET ${MAX_LOOKED_AT - 1} LIMIT 1`)})`,
  );
  if (ends.length === 0) return undefined;
  const { rows } = await sql.executeSql<{ at: Date | null; micros: string | null }>(
    `SELECT max(at) AS at, (extract(epoch FROM max(at)) * 1000000)::bigint::text AS micros
       FROM (${ends.join(" UNION ALL ")}) AS ends`,
    bound.values,
  );
  const [end] = rows;
  return end?.at && end.micros !== null ? { at: end.at, micros: end.micros } : undefined;
}
