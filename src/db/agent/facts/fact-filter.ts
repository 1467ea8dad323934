import { SCOPE_PARTS, type Scope, visibleToSql } from "../space/scope.ts";
import type { FactCategory } from "./facts.ts";

/** Which facts. */
export interface FactFilter {
  /** Those that held at this moment, and were not expired; undefined: all that were ever stored. */
  at?: Date | undefined;
  /**
   * Whether `at` is the present. Then a fact that began when it was stored has begun, and one that was ended has ended, also if the
   * clock was ahead at that time: a clock that jumps forward and back must not hide what was said in between.
   */
  isPresent?: boolean | undefined;
  /** Those that are for these: a part that the fact has must be this one. Undefined: whomever they are for. */
  visibleTo?: Scope | undefined;
  /** Those with exactly these parts in their scope. */
  scope?: Scope | undefined;
  categories?: readonly FactCategory[] | undefined;
  /** Those with all of these. */
  tags?: readonly string[] | undefined;
  key?: string | undefined;
  minImportance?: number | undefined;
}

/** The filter as a condition on the columns of `facts` under an alias. Values are appended to `values`. */
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
  if (filter.minImportance !== undefined)
    conditions.push(`${column("importance")} >= $${values.push(filter.minImportance)}::real`);
  return conditions.length === 0 ? "true" : conditions.join(" AND ");
}
