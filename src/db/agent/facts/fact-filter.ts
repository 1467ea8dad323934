import type { FactCategory, FactScope } from "./facts.ts";

/** Which facts. */
export interface FactFilter {
  /** Those that held at this moment, and were not expired; undefined: all that were ever stored. */
  at?: Date | undefined;
  /** Those that are for these: a part that the fact has must be this one. Undefined: whomever they are for. */
  visibleTo?: FactScope | undefined;
  /** Those with exactly these parts in their scope. */
  scope?: FactScope | undefined;
  categories?: readonly FactCategory[] | undefined;
  /** Those with all of these. */
  tags?: readonly string[] | undefined;
  key?: string | undefined;
  minImportance?: number | undefined;
}

const PARTS = ["user", "agent", "session"] as const;

/** The filter as a condition on the columns of `facts` under an alias. Values are appended to `values`. */
export function factCondition(alias: string, filter: FactFilter, values: unknown[]): string {
  const conditions: string[] = [];
  const column = (name: string) => `${alias}.${name}`;
  if (filter.at !== undefined) {
    const at = `$${values.push(filter.at)}::timestamptz`;
    const open = (name: string) => `(${column(name)} IS NULL OR ${column(name)} > ${at})`;
    conditions.push(`${column("valid_from")} <= ${at}`, open("valid_to"), open("expires_at"));
  }
  for (const part of PARTS) {
    const own = column(`scope_${part}`);
    const wanted = filter.scope?.[part];
    if (filter.visibleTo) conditions.push(`${own} IN ('', $${values.push(filter.visibleTo[part] ?? "")})`);
    if (wanted !== undefined) conditions.push(`${own} = $${values.push(wanted)}`);
  }
  if (filter.categories) conditions.push(`${column("category")} = ANY ($${values.push(filter.categories)}::text[])`);
  if (filter.tags) conditions.push(`${column("tags")} @> $${values.push(filter.tags)}::text[]`);
  if (filter.key !== undefined) conditions.push(`${column("key")} = $${values.push(filter.key)}`);
  if (filter.minImportance !== undefined)
    conditions.push(`${column("importance")} >= $${values.push(filter.minImportance)}::real`);
  return conditions.length === 0 ? "true" : conditions.join(" AND ");
}
