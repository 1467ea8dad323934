import type { SqlExecutor } from "../../database.ts";
import { type AgentMigration, applyAgentMigrations } from "../../migrate/agent.ts";
import type { AgentSpace } from "./agent-transaction.ts";
import { createGenerationTables } from "./generation-tables.ts";
import { liveGenerations } from "./generations.ts";
import { type SchemaName, schemaName, unquoted } from "./schema-name.ts";

/**
 * An increment above any process's counter for the agent, so that every cached answer becomes
 * invalid.
 */
const NEWER = 1_000_000;

/**
 * Returns whether the agent's schema exists in the database, judged by the table that every request
 * needs.
 */
export async function hasAgentSchema(sql: SqlExecutor, schema: SchemaName): Promise<boolean> {
  const { rows } = await sql.executeSql<{ found: boolean }>("SELECT to_regclass($1) IS NOT NULL AS found", [
    `${schema}.generations`,
  ]);
  return rows[0]?.found === true;
}

/** Replaces the agent's schema with an empty one. */
export async function emptySchema(tx: SqlExecutor, schema: SchemaName): Promise<void> {
  await tx.executeSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await tx.executeSql(`CREATE SCHEMA ${schema}`);
}

/** Invalidates the answers that processes cached before the memory was restored. */
export async function forgetAnswers(tx: SqlExecutor, schema: SchemaName): Promise<void> {
  await tx.executeSql(`UPDATE ${schema}.generations SET changes = changes + ${NEWER}`);
}

/**
 * Returns the version of a schema that was restored from a dump. Nothing in the schema states its
 * version, so the result is the first version that has the same columns in the tables that
 * migrations make. Other tables do not count: those of single indexes, and those that only some
 * agents have, which a feature makes at its first use. Migrations may be repeated, so the first of
 * several matching versions is right. Undefined when no version matches.
 */
export async function versionOfSchema(
  tx: SqlExecutor,
  agent: AgentSpace,
  migrations: readonly AgentMigration[],
): Promise<number | undefined> {
  const there = await columnsOf(tx, agent.schema);
  const versions = await withScratch(tx, agent, async (scratch) => {
    const made: { version: number; columns: Map<string, string> }[] = [];
    for (const migration of migrations) {
      await applyAgentMigrations(tx, scratch, [migration], migration.version - 1);
      made.push({ version: migration.version, columns: await columnsOf(tx, scratch.schema) });
    }
    return made;
  });
  const tables = [...new Set(versions.flatMap(({ columns }) => [...columns.keys()]))];
  return versions.find(({ columns }) => tables.every((table) => columns.get(table) === there.get(table)))?.version;
}

/**
 * Returns the parts that a schema of the newest version has and this one lacks: columns, their
 * numbering, constraints and indexes, also those of the tables of its live generations. Constraints
 * are compared by table and columns, since a generation's older tables may have other names for
 * them.
 */
export async function missingParts(
  tx: SqlExecutor,
  agent: AgentSpace,
  migrations: readonly AgentMigration[],
): Promise<string[]> {
  const { active, building } = await liveGenerations(tx, agent.schema);
  const wanted = await withScratch(tx, agent, async (scratch) => {
    await applyAgentMigrations(tx, scratch, migrations, 0);
    for (const generation of [active, building])
      if (generation) await createGenerationTables(tx, scratch.schema, scratch.role, generation);
    return partsOf(tx, scratch.schema);
  });
  const there = new Set(await partsOf(tx, agent.schema));
  return wanted.filter((part) => !there.has(part));
}

/** Runs `fn` with an empty schema beside the agent's, and then undoes all that it did. */
async function withScratch<T>(tx: SqlExecutor, agent: AgentSpace, fn: (scratch: AgentSpace) => Promise<T>): Promise<T> {
  const scratch = { ...agent, schema: schemaName(`${unquoted(agent.schema).slice(0, 50)}_is`) };
  await tx.executeSql("SAVEPOINT before_scratch");
  await tx.executeSql(`CREATE SCHEMA ${scratch.schema}`);
  const result = await fn(scratch);
  await tx.executeSql("ROLLBACK TO SAVEPOINT before_scratch");
  return result;
}

async function partsOf(sql: SqlExecutor, schema: SchemaName): Promise<string[]> {
  const { rows } = await sql.executeSql<{ part: string }>(
    `SELECT format('the column %s.%s', c.relname, a.attname)
              || CASE WHEN a.attidentity <> '' THEN ' with its numbers' ELSE '' END AS part
       FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = to_regnamespace($1)
        AND c.relkind = 'r'
     UNION ALL
     SELECT format('the index %s', c.relname)
       FROM pg_index i
       JOIN pg_class c ON c.oid = i.indexrelid
      WHERE c.relnamespace = to_regnamespace($1)
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = c.oid AND contype IN ('p', 'u'))
     UNION ALL
     SELECT format('the constraint of %s on (%s)', c.relname, columns.names) || CASE k.contype
              WHEN 'p' THEN ', PRIMARY KEY' WHEN 'u' THEN ', UNIQUE' WHEN 'f' THEN ', REFERENCES' ELSE ', CHECK' END
       FROM pg_constraint k
       JOIN pg_class c ON c.oid = k.conrelid
      CROSS JOIN LATERAL (
              SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) AS names
                FROM pg_attribute a
               WHERE a.attrelid = k.conrelid
                 AND a.attnum = ANY(k.conkey)) AS columns
      WHERE k.connamespace = to_regnamespace($1)
        AND k.contype IN ('p', 'u', 'f', 'c')
      ORDER BY part`,
    [schema],
  );
  return rows.map(({ part }) => part);
}

/** Returns the columns of each table as one text. */
async function columnsOf(sql: SqlExecutor, schema: SchemaName): Promise<Map<string, string>> {
  const { rows } = await sql.executeSql<{ name: string; columns: string }>(
    `SELECT c.relname AS name, string_agg(a.attname, ' ' ORDER BY a.attname) AS columns
       FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = to_regnamespace($1)
        AND c.relkind = 'r'
      GROUP BY c.relname`,
    [schema],
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}
