import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "./schema-name.ts";

/**
 * Returns SQL for the number of a change, which orders all changes of an agent independently of
 * clocks. Use it only in the rows that an INSERT … SELECT or a VALUES list stores. There a Citus
 * cluster evaluates it on the coordinator, row by row, wherever the agent is. A column default that
 * names the sequence would be evaluated in the same way, but Citus cannot create a table with one.
 * In any other place Citus may draw the number on a worker, where the sequence has another range.
 * The worker refuses, because an agent's role has no right on the sequence there.
 */
export function nextNumberSql(schema: SchemaName): string {
  return `nextval('${schema}.files_id_seq')`;
}

/**
 * Draws numbers of changes in advance, for a statement that cannot draw them while it stores rows.
 * The caller must keep other writers out.
 */
export async function drawNumbers(sql: SqlExecutor, schema: SchemaName, count: number): Promise<string[]> {
  const { rows } = await sql.executeSql<{ number: string }>(
    `SELECT ${nextNumberSql(schema)}::text AS number FROM generate_series(1, $1::int)`,
    [count],
  );
  return rows.map(({ number }) => number);
}
