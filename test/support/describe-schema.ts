import type { Database } from "../../src/db/database.ts";

/**
 * Describes one schema as text: tables, columns, constraints, indexes and grants, with the schema's
 * and the role's name replaced.
 */
export async function describeSchema(db: Database, schema: string, role: string): Promise<string> {
  const lines = async (sql: string) =>
    (await db.executeSql<{ line: string }>(sql, [schema])).rows.map((row) => row.line);
  const text = [
    ...(await lines(`SELECT format('%s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN ' not null' ELSE '' END, CASE WHEN a.attidentity <> '' THEN ' identity' ELSE '' END,
        CASE WHEN a.attstattarget = 0 THEN ' no statistics' ELSE '' END) AS line
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' ORDER BY c.relname, a.attnum`)),
    // From Postgres 18 on not-null constraints are catalogued by name. The columns above describe
    // them on every version.
    ...(await lines(`SELECT conrelid::regclass::text || ' ' || pg_get_constraintdef(oid) AS line FROM pg_constraint
      WHERE connamespace = $1::regnamespace AND contype <> 'n' ORDER BY 1`)),
    ...(await lines(`SELECT indexdef AS line FROM pg_indexes WHERE schemaname = $1 ORDER BY indexname`)),
    ...(await lines(`SELECT format('grant %s on %s to %s', string_agg(privilege_type, ',' ORDER BY privilege_type), table_name, grantee) AS line
      FROM information_schema.role_table_grants WHERE table_schema = $1 AND grantee LIKE 'agent%'
      GROUP BY table_name, grantee ORDER BY table_name`)),
  ].join("\n");
  return `${text.replaceAll(schema, ":agent_schema").replaceAll(role, ":agent_role")}\n`;
}
