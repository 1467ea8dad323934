/** Whom and what a fact or a conversation is for; an absent part is everybody, everything. */
export interface Scope {
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

/** The columns of a scope in a row that has one; an empty text is an absent part. */
export interface ScopeColumns {
  scopeUser: string;
  scopeAgent: string;
  scopeSession: string;
}

export const SCOPE_PARTS = ["user", "agent", "session"] as const;

/** SQL: the columns of `ScopeColumns`. */
export const SCOPE_COLUMNS = `scope_user AS "scopeUser", scope_agent AS "scopeAgent", scope_session AS "scopeSession"`;

/** The scope of a row, without absent parts. */
export function scopeOfRow({ scopeUser, scopeAgent, scopeSession }: ScopeColumns): Scope {
  return {
    ...(scopeUser === "" ? {} : { user: scopeUser }),
    ...(scopeAgent === "" ? {} : { agent: scopeAgent }),
    ...(scopeSession === "" ? {} : { session: scopeSession }),
  };
}

/** Whether a reader with the scope `reader` may see a row of this scope: each part that the row has equals the reader's. */
export function isVisibleTo(scope: Scope, reader: Scope): boolean {
  return SCOPE_PARTS.every((part) => !scope[part] || scope[part] === reader[part]);
}

/** The same as a condition on the columns of a row under an alias. Values are appended to `values`. */
export function visibleToSql(alias: string, reader: Scope, values: unknown[]): string {
  return SCOPE_PARTS.map((part) => `${alias}.scope_${part} IN ('', $${values.push(reader[part] ?? "")})`).join(" AND ");
}

/** SQL: the rows under two aliases have the same scope. */
export function sameScopeSql(one: string, other: string): string {
  return SCOPE_PARTS.map((part) => `${one}.scope_${part} = ${other}.scope_${part}`).join(" AND ");
}
