import type { SqlExecutor } from "../../database.ts";
import { FACT_COLUMNS, type FactRow } from "../facts/facts.ts";
import type { RoleName, SchemaName } from "../space/schema-name.ts";

/** What an agent has, by kind and key, each with a hash of its state: a file by its path, a fact by what never changes of it. */
export interface StateRow {
  kind: "file" | "fact";
  key: string;
  hash: string;
}

/** A fact's key: its id differs between agents, its text, whom it is for and when it was stored do not. */
const factKeySql = (fact: "f" | "s") =>
  `md5(concat_ws(chr(31), ${fact}.text_hash, ${fact}.scope_user, ${fact}.scope_agent, ${fact}.scope_session, extract(epoch FROM ${fact}.created_at)))`;
/** What a change of a fact changes; that it was said again does not count. */
const FACT_STATE = `md5(concat_ws(chr(31), coalesce(f.key, ''), f.category, f.importance, array_to_json(f.tags), f.decay_class,
  extract(epoch FROM f.valid_from), coalesce(extract(epoch FROM f.valid_to)::text, ''), coalesce(f.ended_by, ''),
  coalesce(extract(epoch FROM f.expires_at)::text, '')))`;

/** Files of the server's folders are not the agent's to change. */
const stateSql = (schema: SchemaName) =>
  `SELECT 'file' AS kind, path AS key, content_hash AS hash FROM ${schema}.files WHERE path NOT LIKE '/%'
   UNION ALL SELECT 'fact', ${factKeySql("f")}, ${FACT_STATE} FROM ${schema}.facts f`;

/** What an agent has now. */
export async function readState(sql: SqlExecutor, schema: SchemaName): Promise<StateRow[]> {
  return (await sql.executeSql<StateRow>(stateSql(schema))).rows;
}

/** A fact with its key, and that of the fact which took its place. */
export interface KeyedFact extends FactRow {
  stateKey: string;
  supersededByKey: string | null;
}

/** Facts by their keys, those asked for that are there. */
export async function factsByKey(
  sql: SqlExecutor,
  schema: SchemaName,
  keys: readonly string[],
): Promise<Map<string, KeyedFact>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql.executeSql<KeyedFact>(
    `SELECT ${FACT_COLUMNS}, ${factKeySql("f")} AS "stateKey",
            (SELECT ${factKeySql("s")} FROM ${schema}.facts s WHERE s.id = f.superseded_by) AS "supersededByKey"
       FROM ${schema}.facts f WHERE ${factKeySql("f")} = ANY($1::text[])`,
    [keys],
  );
  return new Map(rows.map((row) => [row.stateKey, row]));
}

/** Gives facts the state that facts of another agent have; their texts and whom they are for stay. */
export async function applyFactStates(
  sql: SqlExecutor,
  schema: SchemaName,
  facts: readonly Omit<FactRow, "supersededBy">[],
  now: Date,
): Promise<void> {
  if (facts.length === 0) return;
  const column = <T>(of: (fact: (typeof facts)[number]) => T) => facts.map(of);
  const instant = (of: (fact: (typeof facts)[number]) => Date | null) => facts.map((one) => of(one)?.toISOString() ?? null);
  await sql.executeSql(
    `UPDATE ${schema}.facts f SET category = n.category, importance = n.importance, decay_class = n.decay_class,
            tags = ARRAY(SELECT jsonb_array_elements_text(n.tags::jsonb)), valid_from = n.valid_from, valid_to = n.valid_to,
            ended_by = n.ended_by, expires_at = n.expires_at, created_at = n.created_at,
            confirmed_at = greatest(f.confirmed_at, n.confirmed_at), updated_at = $12
       FROM unnest($1::bigint[], $2::text[], $3::real[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[],
                   $9::timestamptz[], $10::timestamptz[], $11::timestamptz[])
         AS n (id, category, importance, decay_class, tags, valid_from, valid_to, ended_by, expires_at, created_at, confirmed_at)
      WHERE f.id = n.id`,
    [
      column((one) => one.id),
      column((one) => one.category),
      column((one) => one.importance),
      column((one) => one.decayClass),
      column((one) => JSON.stringify(one.tags)),
      instant((one) => one.validFrom),
      instant((one) => one.validTo),
      column((one) => one.endedBy),
      instant((one) => one.expiresAt),
      instant((one) => one.createdAt),
      instant((one) => one.confirmedAt),
      now,
    ],
  );
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
