import type { SqlExecutor } from "../../database.ts";
import { type RoleName, type SchemaName, unquoted } from "./schema-name.ts";

/**
 * A condition: the role `r` of `pg_roles` lacks rights on its schema `n` of `pg_namespace`, as after a
 * restore of roles without the rights of a database. All rights are granted together
 * (`grantAgentRights`), so one table stands for the others.
 */
export const LACKS_RIGHTS = `(NOT has_schema_privilege(r.oid, n.oid, 'USAGE') OR EXISTS (
  SELECT
    FROM pg_class c
   WHERE c.relnamespace = n.oid
     AND c.relname = 'files'
     AND NOT has_table_privilege(r.oid, c.oid, 'SELECT')))`;

/** Returns whether an agent's role is missing, is refused to the login, or lacks rights on its schema. */
export async function lacksRights(
  sql: SqlExecutor,
  { schema, role }: { schema: SchemaName; role: RoleName },
): Promise<boolean> {
  const { rows } = await sql.executeSql<{ lacks: boolean }>(
    `SELECT r.oid IS NULL OR NOT pg_has_role(r.oid, 'MEMBER') OR ${LACKS_RIGHTS} AS lacks
       FROM pg_namespace n
       LEFT JOIN pg_roles r ON r.rolname = $2
      WHERE n.nspname = $1`,
    [unquoted(schema), unquoted(role)],
  );
  return rows[0]?.lacks === true;
}
