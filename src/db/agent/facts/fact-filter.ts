import { SCOPE_PARTS, type Scope, visibleToSql } from "../schema/scope.ts";
import type { FactCategory } from "./facts.ts";
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
  minImportance?: number | undefined;
  /** Only facts that come from one of these conversations or files, as their sources name them. */
  sources?: readonly string[] | undefined;
  /** Only facts that come from a message, a file or a call. */
  sourceKind?: "message" | "file" | "call" | undefined;
}

/** The conversation or file that a fact under an alias comes from; the index `facts_source` has it. */
export function sourceNameSql(alias: string): string {
  return `coalesce(${alias}.source->>'session', ${alias}.source->>'path')`;
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
  if (filter.categories) conditions.push(`${column("category")} = ANY ($${values.push(filter.categories)}::text[])`);
  if (filter.tags) conditions.push(`${column("tags")} @> $${values.push(filter.tags)}::text[]`);
  if (filter.key !== undefined) conditions.push(`${column("key")} = $${values.push(filter.key)}`);
  if (filter.subject !== undefined)
    conditions.push(`${column("subject_folded")} = $${values.push(foldedSubject(filter.subject) ?? "")}`);
  if (filter.sources) conditions.push(`${sourceNameSql(alias)} = ANY ($${values.push(filter.sources)}::text[])`);
  if (filter.sourceKind) conditions.push(`${column("source")}->>'kind' = $${values.push(filter.sourceKind)}`);
  if (filter.minImportance !== undefined)
    conditions.push(`${column("importance")} >= $${values.push(filter.minImportance)}::real`);
  return conditions.length === 0 ? "true" : conditions.join(" AND ");
}
