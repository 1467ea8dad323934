import { likePattern } from "../schema/like-pattern.ts";
import { SCOPE_PARTS, type Scope, visibleToSql } from "../schema/scope.ts";
import type { FactCategory } from "./facts.ts";
import type { Person } from "./person.ts";
import { foldedSubject } from "./subject.ts";

/** The conditions that facts must meet. */
export interface FactFilter {
  /**
   * Only facts that held at this moment and had not expired. Undefined: all facts that were ever
   * stored.
   */
  at?: Date | undefined;
  /**
   * Whether `at` is the present. If it is, times in the future do not count when they only show
   * that a clock was ahead: a fact that begins at its time of storing counts as begun, and a fact
   * with an end that was set then counts as ended. A clock that jumps forward and back must not
   * hide facts that were stored in between.
   */
  isPresent?: boolean | undefined;
  /**
   * Only facts that this reader may see: each part of the fact's scope must equal the reader's
   * part. Undefined: facts of any scope.
   */
  visibleTo?: Scope | undefined;
  /** Only facts whose scope has exactly these parts. */
  scope?: Scope | undefined;
  categories?: readonly FactCategory[] | undefined;
  /** Only facts that have all of these tags. */
  tags?: readonly string[] | undefined;
  key?: string | undefined;
  /** Only facts about this person or thing, however the name is capitalised. */
  subject?: string | undefined;
  /** Only these facts. */
  ids?: readonly string[] | undefined;
  /** Only facts about this person, or for the user of this name. */
  person?: Person | undefined;
  minImportance?: number | undefined;
  /** Only facts that come from one of these conversations or files, as their sources name them. */
  sources?: readonly string[] | undefined;
  /** Only facts that come from a message, a file or a call. */
  sourceKind?: "message" | "file" | "call" | undefined;
  /** Only facts with this text in their statement, subject or key; case does not matter. */
  contains?: string | undefined;
  /** Only facts that were stored at this time or later, or before this time. */
  storedSince?: Date | undefined;
  storedBefore?: Date | undefined;
}

/** The conversation or file that a fact under an alias comes from; the index `facts_source` has it. */
export function sourceNameSql(alias: string): string {
  return `coalesce(${alias}.source->>'session', ${alias}.source->>'path')`;
}

/** Returns a condition: whether a fact under an alias holds can change with time alone. */
export function timedSql(alias: string): string {
  return `(${alias}.expires_at IS NOT NULL OR ${alias}.valid_to IS NOT NULL OR ${alias}.valid_from > now())`;
}

/**
 * Returns the filter as a condition on the columns of `facts` under an alias. Appends its values to
 * `values`.
 */
export function factCondition(alias: string, filter: FactFilter, values: unknown[]): string {
  const conditions: string[] = [];
  const column = (name: string) => `${alias}.${name}`;
  if (filter.at !== undefined) {
    const at = `$${values.push(filter.at)}::timestamptz`;
    const notBefore = (name: string) => (filter.isPresent ? `greatest(${at}, ${column(name)})` : at);
    const open = (name: string, then: string) => `(${column(name)} IS NULL OR ${column(name)} > ${then})`;
    conditions.push(
      `${column("valid_from")} <= ${notBefore("created_at")}`,
      open("valid_to", notBefore("updated_at")),
      open("expires_at", at),
    );
  }
  if (filter.visibleTo) conditions.push(visibleToSql(alias, filter.visibleTo, values));
  for (const part of SCOPE_PARTS) {
    const wanted = filter.scope?.[part];
    if (wanted !== undefined) conditions.push(`${column(`scope_${part}`)} = $${values.push(wanted)}`);
  }
  // The index `facts_user` leaves out facts for everybody.
  if (filter.scope?.user) conditions.push(`${column("scope_user")} <> ''`);
  conditions.push(...columnConditions(column, filter, values), ...sourceConditions(alias, filter, values));
  return conditions.length === 0 ? "true" : conditions.join(" AND ");
}

/** Returns the conditions on a fact's own columns. */
function columnConditions(column: (name: string) => string, filter: FactFilter, values: unknown[]): string[] {
  const conditions: string[] = [];
  if (filter.categories) conditions.push(`${column("category")} = ANY ($${values.push(filter.categories)}::text[])`);
  if (filter.tags) conditions.push(`${column("tags")} @> $${values.push(filter.tags)}::text[]`);
  if (filter.key !== undefined) conditions.push(`${column("key")} = $${values.push(filter.key)}`);
  if (filter.subject !== undefined)
    conditions.push(`${column("subject_folded")} = $${values.push(foldedSubject(filter.subject) ?? "")}`);
  if (filter.person !== undefined) {
    const folded = `$${values.push(filter.person.folded)}`;
    const users = `$${values.push(filter.person.users)}::text[]`;
    conditions.push(
      `(${column("subject_folded")} = ${folded} OR (${column("scope_user")} = ANY (${users}) AND ${column("scope_user")} <> ''))`,
    );
  }
  if (filter.ids) conditions.push(`${column("id")} = ANY ($${values.push(filter.ids)}::bigint[])`);
  if (filter.minImportance !== undefined)
    conditions.push(`${column("importance")} >= $${values.push(filter.minImportance)}::real`);
  if (filter.contains !== undefined) {
    const pattern = `$${values.push(likePattern(filter.contains))}`;
    const columns = ["text", "subject", "key"].map((name) => `${column(name)} ILIKE ${pattern}`);
    conditions.push(`(${columns.join(" OR ")})`);
  }
  if (filter.storedSince) conditions.push(`${column("created_at")} >= $${values.push(filter.storedSince)}`);
  if (filter.storedBefore) conditions.push(`${column("created_at")} < $${values.push(filter.storedBefore)}`);
  return conditions;
}

/** Returns the conditions on the origin of a fact. */
function sourceConditions(alias: string, filter: FactFilter, values: unknown[]): string[] {
  const conditions: string[] = [];
  if (filter.sources) conditions.push(`${sourceNameSql(alias)} = ANY ($${values.push(filter.sources)}::text[])`);
  if (filter.sourceKind) conditions.push(`${alias}.source->>'kind' = $${values.push(filter.sourceKind)}`);
  return conditions;
}
