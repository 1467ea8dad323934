import { lockTables } from "../../citus/ddl.ts";
import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import type { Scope } from "../schema/scope.ts";
import { noteChangeSql } from "./fact-changes.ts";
import { foldedSubject } from "./subject.ts";

export const FACT_CATEGORIES = [
  "preference",
  "instruction",
  "fact",
  "decision",
  "entity",
  "technical",
  "other",
] as const;
export type FactCategory = (typeof FACT_CATEGORIES)[number];

/** How fast a fact loses weight: see relevance/ranking/decay.ts. */
export const DECAY_CLASSES = ["permanent", "stable", "active", "session", "transient"] as const;
export type DecayClass = (typeof DECAY_CLASSES)[number];

/**
 * The event that ended a fact: a newer fact with the same key, a fact that was said to replace it,
 * or a new text for it.
 */
export type FactEnd = "key" | "supersede" | "update";

/** The user, agent and session that a fact is for. */
export type FactScope = Scope;

/** The origin of a fact. `by` is the caller who stored it, as in the audit log. */
export type FactSource =
  | { kind: "call"; by: string; note?: string | undefined }
  | { kind: "message"; by: string; session: string; message?: number | undefined }
  | { kind: "file"; by: string; path: string; startLine?: number | undefined; endLine?: number | undefined };

export interface FactWrite {
  text: string;
  /** The hash of the text in the form in which texts are compared. */
  textHash: string;
  /** The person who said it, or the person or thing that it is about; null: not known. */
  subject: string | null;
  key: string | null;
  category: FactCategory;
  importance: number;
  scope: FactScope;
  tags: readonly string[];
  source: FactSource;
  decayClass: DecayClass;
  validFrom: Date;
  expiresAt: Date | null;
  /** The end of a fact that is past when it is stored; null for any other fact. */
  validTo: Date | null;
}

export interface FactRow extends Omit<FactWrite, "textHash" | "scope"> {
  id: string;
  /** The scope's parts; an empty text means that the fact has no such part. */
  user: string;
  agent: string;
  session: string;
  validTo: Date | null;
  supersededBy: string | null;
  endedBy: FactEnd | null;
  createdAt: Date;
  updatedAt: Date;
  confirmedAt: Date;
}

/** The columns of a fact from which its text in an index is made. */
export type IndexedRow = Pick<FactRow, "id" | "text" | "subject" | "key">;

/** Ids are text because JSON has no bigint. */
export const FACT_COLUMNS = `id::text AS id, text, subject, key, category, importance, scope_user AS "user", scope_agent AS agent,
  scope_session AS session, tags, source, decay_class AS "decayClass", valid_from AS "validFrom", valid_to AS "validTo",
  superseded_by::text AS "supersededBy", ended_by AS "endedBy", expires_at AS "expiresAt", created_at AS "createdAt",
  updated_at AS "updatedAt", confirmed_at AS "confirmedAt"`;

const INSTANTS = ["validFrom", "validTo", "expiresAt", "createdAt", "updatedAt", "confirmedAt"] as const;

/** A row in JSON, where instants are texts. */
export type FactJson = Omit<FactRow, (typeof INSTANTS)[number]> & Record<(typeof INSTANTS)[number], string | null>;

export function factOfJson(json: FactJson): FactRow {
  const instants = INSTANTS.map((name) => [name, json[name] === null ? null : new Date(json[name])]);
  return { ...json, ...Object.fromEntries(instants) } as FactRow;
}

/** Returns the path under which search hits show a fact. */
export function factPath(id: string): string {
  return `facts/${id}`;
}

/**
 * Locks the agent's facts against other writers until the transaction ends. If two transactions
 * write contradicting facts, the second waits and then sees the fact of the first. Reads and
 * searches go on. The transaction must take this lock first, because the switch to a new index
 * makes writers wait here.
 */
export async function lockFacts(sql: SqlExecutor, schema: SchemaName): Promise<void> {
  await lockTables(sql, [`${schema}.facts`], "SHARE ROW EXCLUSIVE");
}

/** Returns when the last fact was stored; undefined when there is none. */
export async function lastStoredAt(sql: SqlExecutor, schema: SchemaName): Promise<Date | undefined> {
  const { rows } = await sql.executeSql<{ at: Date }>(
    `SELECT created_at AS at FROM ${schema}.facts ORDER BY id DESC LIMIT 1`,
  );
  return rows[0]?.at;
}

/** Inserts facts and returns their ids in the order given. */
export async function insertFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  facts: readonly FactWrite[],
  now: Date,
): Promise<string[]> {
  if (facts.length === 0) return [];
  const column = <T>(value: (fact: FactWrite) => T) => facts.map(value);
  const { rows } = await sql.executeSql<{ id: string }>(
    `INSERT INTO ${schema}.facts (text, text_hash, key, category, importance, scope_user,
                                  scope_agent, scope_session, tags, source, decay_class, valid_from,
                                  expires_at, size_bytes, created_at, updated_at, confirmed_at,
                                  subject, subject_folded, valid_to)
     SELECT n.text, n.text_hash, n.key, n.category, n.importance, n.scope_user, n.scope_agent,
            n.scope_session, ARRAY(SELECT jsonb_array_elements_text(n.tags::jsonb)),
            n.source::jsonb, n.decay_class, n.valid_from, n.expires_at, octet_length(n.text), $13,
            $13, $13, n.subject, n.subject_folded, n.valid_to
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::real[], $6::text[],
                   $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::timestamptz[],
                   $14::timestamptz[], $15::text[], $16::text[], $17::timestamptz[]) WITH ORDINALITY
         AS n (text, text_hash, key, category, importance, scope_user, scope_agent, scope_session,
               tags, source, decay_class, valid_from, expires_at, subject, subject_folded, valid_to,
               place)
      ORDER BY n.place
     RETURNING id`,
    [
      column((fact) => fact.text),
      column((fact) => fact.textHash),
      column((fact) => fact.key),
      column((fact) => fact.category),
      column((fact) => fact.importance),
      column((fact) => fact.scope.user ?? ""),
      column((fact) => fact.scope.agent ?? ""),
      column((fact) => fact.scope.session ?? ""),
      column((fact) => JSON.stringify(fact.tags)),
      column((fact) => JSON.stringify(fact.source)),
      column((fact) => fact.decayClass),
      column((fact) => fact.validFrom.toISOString()),
      now,
      column((fact) => fact.expiresAt?.toISOString() ?? null),
      column((fact) => fact.subject),
      column((fact) => foldedSubject(fact.subject)),
      column((fact) => fact.validTo?.toISOString() ?? null),
    ],
  );
  // Ids are assigned in insertion order, but the order of RETURNING is not guaranteed.
  return rows.map((row) => row.id).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/** Ends facts: stores until when each held and which fact replaced it. */
export async function endFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  ended: readonly { id: string; validTo: Date; supersededBy: string; endedBy: FactEnd }[],
  now: Date,
): Promise<void> {
  if (ended.length === 0) return;
  const noted = noteChangeSql(schema, {
    ids: "$1",
    kind: "superseded",
    at: "$5",
    by: `(
      SELECT x.source->>'by'
        FROM unnest($1::bigint[], $3::bigint[]) AS n (id, by)
        JOIN ${schema}.facts x ON x.id = n.by
       WHERE n.id = f.id)`,
  });
  await sql.executeSql(
    `WITH noted AS (${noted})
     UPDATE ${schema}.facts f
        SET valid_to = n.valid_to, superseded_by = n.superseded_by, ended_by = n.ended_by,
            updated_at = $5
       FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::text[])
         AS n (id, valid_to, superseded_by, ended_by)
      WHERE f.id = n.id`,
    [
      ended.map((one) => one.id),
      ended.map((one) => one.validTo.toISOString()),
      ended.map((one) => one.supersededBy),
      ended.map((one) => one.endedBy),
      now,
    ],
  );
}

/** Records that facts were stated again, and their new expiry. */
export async function confirmFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  said: readonly { id: string; expiresAt: Date | null }[],
  now: Date,
): Promise<void> {
  if (said.length === 0) return;
  await sql.executeSql(
    `WITH noted AS (
       ${noteChangeSql(schema, { ids: "$1", kind: "confirmed", at: "$3", by: "NULL" })}
     )
     UPDATE ${schema}.facts f
        SET confirmed_at = greatest(confirmed_at, $3), expires_at = n.expires_at
       FROM unnest($1::bigint[], $2::timestamptz[]) AS n (id, expires_at)
      WHERE f.id = n.id`,
    [said.map((one) => one.id), said.map((one) => one.expiresAt?.toISOString() ?? null), now],
  );
}

/** The attributes of a fact that may change while it remains the same fact. */
export type FactPatch = {
  [K in "category" | "importance" | "tags" | "decayClass" | "expiresAt"]?: FactWrite[K] | undefined;
};

export async function patchFact(
  sql: SqlExecutor,
  schema: SchemaName,
  id: string,
  patch: FactPatch,
  { now, by }: { now: Date; by: string },
): Promise<void> {
  const values: unknown[] = [id, now, by];
  const changes = ["updated_at = $2"];
  const set = (column: string, value: unknown, type = "") => {
    if (value !== undefined) changes.push(`${column} = $${values.push(value)}${type}`);
  };
  set("category", patch.category);
  set("importance", patch.importance, "::real");
  set("tags", patch.tags, "::text[]");
  set("decay_class", patch.decayClass);
  set("expires_at", patch.expiresAt);
  const noted = noteChangeSql(schema, { ids: "ARRAY[$1::bigint]", kind: "updated", at: "$2", by: "$3::text" });
  await sql.executeSql(
    `WITH noted AS (${noted})
     UPDATE ${schema}.facts
        SET ${changes.join(", ")}
      WHERE id = $1::bigint`,
    values,
  );
}

/** Returns the facts with these ids, in no particular order. */
export async function readFacts(sql: SqlExecutor, schema: SchemaName, ids: readonly string[]): Promise<FactRow[]> {
  const { rows } = await sql.executeSql<FactRow>(
    `SELECT ${FACT_COLUMNS} FROM ${schema}.facts WHERE id = ANY($1::bigint[])`,
    [ids],
  );
  return rows;
}
