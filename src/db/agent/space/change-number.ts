import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "./schema-name.ts";

/**
 * SQL: the number of a change, which orders all changes of an agent across clocks. It stands in the rows that an INSERT … SELECT or a
 * VALUES stores, and there alone: a cluster numbers them on the coordinator, row by row, wherever the agent is. A column's default that
 * names the sequence would be the same there, but no table can be made with it. Elsewhere a worker may be asked for it, and refuses, as an
 * agent's role has no right on the sequence there: its numbers would be of another range.
 */
export function nextNumberSql(schema: SchemaName): string {
  return `nextval('${schema}.files_id_seq')`;
}

/** Draws numbers of changes beforehand, where the statement that stores them cannot. The caller keeps other writers out. */
export async function drawNumbers(sql: SqlExecutor, schema: SchemaName, count: number): Promise<string[]> {
  const { rows } = await sql.executeSql<{ number: string }>(
    `SELECT ${nextNumberSql(schema)}::text AS number FROM generate_series(1, $1::int)`,
    [count],
  );
  return rows.map(({ number }) => number);
}
