import type { SchemaName } from "./schema-name.ts";

/**
 * SQL: the number of a change, which orders all changes of an agent across clocks. It stands in the rows that an INSERT … SELECT or a
 * VALUES stores, and there alone: a cluster numbers them on the coordinator, row by row, wherever the agent is. A column's default that
 * names the sequence would be the same there, but no table can be made with it; and in an UPDATE a worker would draw from its own range.
 */
export function nextNumberSql(schema: SchemaName): string {
  return `nextval('${schema}.files_id_seq')`;
}
