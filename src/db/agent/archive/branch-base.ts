import type { SqlExecutor } from "../../database.ts";
import type { RoleName, SchemaName } from "../space/schema-name.ts";

/** What an agent has, by kind and key, each with a hash of its state: a file by its path, a fact by what never changes of it. */
export interface StateRow {
  kind: "file" | "fact";
  key: string;
  hash: string;
}

/** A fact's key: its id differs between agents, its text, whom it is for and when it was stored do not. */
const FACT_KEY = `md5(concat_ws(chr(31), f.text_hash, f.scope_user, f.scope_agent, f.scope_session, extract(epoch FROM f.created_at)))`;
/** What a change of a fact changes; that it was said again does not count. */
const FACT_STATE = `md5(concat_ws(chr(31), coalesce(f.key, ''), f.category, f.importance, array_to_json(f.tags), f.decay_class,
  extract(epoch FROM f.valid_from), coalesce(extract(epoch FROM f.valid_to)::text, ''), coalesce(f.ended_by, ''),
  coalesce(extract(epoch FROM f.expires_at)::text, '')))`;

/** Files of the server's folders are not the agent's to change. */
const stateSql = (schema: SchemaName) =>
  `SELECT 'file' AS kind, path AS key, content_hash AS hash FROM ${schema}.files WHERE path NOT LIKE '/%'
   UNION ALL SELECT 'fact', ${FACT_KEY}, ${FACT_STATE} FROM ${schema}.facts f`;

/** What an agent has now. */
export async function readState(sql: SqlExecutor, schema: SchemaName): Promise<StateRow[]> {
  return (await sql.executeSql<StateRow>(stateSql(schema))).rows;
}

/** The keys and ids of facts by key, for those asked for. */
export async function factsByKey(
  sql: SqlExecutor,
  schema: SchemaName,
  keys: readonly string[],
): Promise<Map<string, { id: string; text: string }>> {
  const { rows } = await sql.executeSql<{ key: string; id: string; text: string }>(
    `SELECT ${FACT_KEY} AS key, f.id::text AS id, f.text FROM ${schema}.facts f WHERE ${FACT_KEY} = ANY($1::text[])`,
    [keys],
  );
  return new Map(rows.map(({ key, ...row }) => [key, row]));
}

/**
 * Makes the table of what a branch had when it was made. Run with the service's own role. Only branches have it: at 10,000 agents
 * every table is 10,000 rows in each of several catalogues. A migration of it is ALTER TABLE IF EXISTS.
 */
export async function createBranchBase(sql: SqlExecutor, schema: SchemaName, role: RoleName): Promise<void> {
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${schema}.branch_base (
    kind text COLLATE "C", key text COLLATE "C", hash text NOT NULL, PRIMARY KEY (kind, key))`);
  await sql.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.branch_base TO ${role}`);
}

/** Notes what the branch has as what it was made with. Two facts that nothing tells apart are one. */
export async function noteBase(sql: SqlExecutor, schema: SchemaName): Promise<void> {
  await sql.executeSql(
    `INSERT INTO ${schema}.branch_base (kind, key, hash) SELECT kind, key, hash FROM (${stateSql(schema)}) AS s
         ON CONFLICT DO NOTHING`,
  );
}

/** What a branch had when it was made, or when it was merged last. */
export async function readBase(sql: SqlExecutor, schema: SchemaName): Promise<StateRow[]> {
  return (await sql.executeSql<StateRow>(`SELECT kind, key, hash FROM ${schema}.branch_base`)).rows;
}

/** Notes anew what a branch and its origin have in common; without a hash neither has it any more. */
export async function changeBase(
  sql: SqlExecutor,
  schema: SchemaName,
  changes: readonly { kind: StateRow["kind"]; key: string; hash: string | undefined }[],
): Promise<void> {
  const column = <T>(of: (one: (typeof changes)[number]) => T) => changes.map(of);
  await sql.executeSql(
    `WITH asked AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS n (kind, key, hash)),
          gone AS (DELETE FROM ${schema}.branch_base b USING asked a WHERE a.hash IS NULL AND b.kind = a.kind AND b.key = a.key)
     INSERT INTO ${schema}.branch_base (kind, key, hash) SELECT kind, key, hash FROM asked WHERE hash IS NOT NULL
         ON CONFLICT (kind, key) DO UPDATE SET hash = excluded.hash`,
    [column((one) => one.kind), column((one) => one.key), column((one) => one.hash ?? null)],
  );
}
