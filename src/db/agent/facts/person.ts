import type { SqlExecutor } from "../../database.ts";
import { mayFoldSql } from "../schema/may-fold.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { foldedSubject } from "./subject.ts";

/** A person as facts and conversations name him: as a subject, or as the user of a scope. */
export interface Person {
  /** The name in the form in which subjects are compared. */
  folded: string;
  /** The users of scopes whose folded name is the person's, as they are stored. */
  users: readonly string[];
}

/**
 * Returns the person of a name. Names of users are compared like subjects. Only this process can
 * fold them, so the statement visits each user once in an index, and returns the users whose name
 * could be the person's.
 */
export async function findPerson(sql: SqlExecutor, schema: SchemaName, name: string): Promise<Person> {
  const folded = foldedSubject(name) ?? "";
  const { rows } = await sql.executeSql<{ name: string }>(
    `SELECT u.name FROM (${eachUserSql(`${schema}.facts`)} UNION ${eachUserSql(`${schema}.sessions`)}) AS u
      WHERE ${mayFoldSql("u.name", "$1")}`,
    [folded],
  );
  const users = rows.map((row) => row.name).filter((user) => foldedSubject(user) === folded);
  return { folded, users };
}

/** Returns the SQL of the users of a table's scopes. It skips the other rows of each user. */
function eachUserSql(table: string): string {
  return `(
    WITH RECURSIVE seen AS (
      (SELECT t.scope_user AS name FROM ${table} t WHERE t.scope_user <> '' ORDER BY t.scope_user LIMIT 1)
      UNION ALL
      SELECT (
               SELECT t.scope_user
                 FROM ${table} t
                WHERE t.scope_user <> ''
                  AND t.scope_user > s.name
                ORDER BY t.scope_user
                LIMIT 1)
        FROM seen s
       WHERE s.name IS NOT NULL
    )
    SELECT s.name FROM seen s WHERE s.name IS NOT NULL)`;
}
