/**
 * The user, agent and session that a fact or a conversation is for. A missing part means all of
 * them.
 */
export interface Scope {
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

/** The scope's columns in a row; an empty text is a missing part. */
export interface ScopeColumns {
  scopeUser: string;
  scopeAgent: string;
  scopeSession: string;
}

export const SCOPE_PARTS = ["user", "agent", "session"] as const;

/** SQL for the columns of `ScopeColumns`. */
export const SCOPE_COLUMNS = `scope_user AS "scopeUser", scope_agent AS "scopeAgent", scope_session AS "scopeSession"`;

/** Returns the scope of a row, without missing parts. */
export function scopeOfRow({ scopeUser, scopeAgent, scopeSession }: ScopeColumns): Scope {
  return {
    ...(scopeUser === "" ? {} : { user: scopeUser }),
    ...(scopeAgent === "" ? {} : { agent: scopeAgent }),
    ...(scopeSession === "" ? {} : { session: scopeSession }),
  };
}

/**
 * Returns whether a reader with the scope `reader` may see a row of this scope: each part that the
 * row has must equal the reader's.
 */
export function isVisibleTo(scope: Scope, reader: Scope): boolean {
  return SCOPE_PARTS.every((part) => !scope[part] || scope[part] === reader[part]);
}

/**
 * Returns `isVisibleTo` as a condition on the columns of a row under an alias. Appends its values
 * to `values`.
 */
export function visibleToSql(alias: string, reader: Scope, values: unknown[]): string {
  return SCOPE_PARTS.map((part) => `${alias}.scope_${part} IN ('', $${values.push(reader[part] ?? "")})`).join(" AND ");
}

/** Returns a condition: the rows under two aliases have the same scope. */
export function sameScopeSql(one: string, other: string): string {
  return SCOPE_PARTS.map((part) => `${one}.scope_${part} = ${other}.scope_${part}`).join(" AND ");
}
