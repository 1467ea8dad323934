import { AppError } from "../../../base/errors.ts";

/** A schema name, quoted and safe to place in SQL text. Only `schemaName` makes one. */
export type SchemaName = string & { readonly __brand: "SchemaName" };
/** A role name, quoted and safe to place in SQL text. Only `roleName` makes one. */
export type RoleName = string & { readonly __brand: "RoleName" };

const IDENTIFIER = /^[a-z][a-z0-9_]{0,62}$/;

/**
 * Quotes an identifier; the only place where one becomes SQL text. Names come from the control
 * schema and are checked nevertheless.
 */
function quoteIdentifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new AppError("internal", "An identifier in the control schema is malformed.");
  return `"${name}"`;
}

export function schemaName(name: string): SchemaName {
  return quoteIdentifier(name) as SchemaName;
}

export function roleName(name: string): RoleName {
  return quoteIdentifier(name) as RoleName;
}

/** Returns the name without quotes, as in the control schema and the catalogue. */
export function unquoted(name: SchemaName | RoleName): string {
  return name.slice(1, -1);
}
