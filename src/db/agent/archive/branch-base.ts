import type { SqlExecutor } from "../../database.ts";
import { noteChangeSql } from "../facts/fact-changes.ts";
import { FACT_COLUMNS, type FactRow } from "../facts/facts.ts";
import { OWN_FILE } from "../history/snapshots.ts";
import type { RoleName, SchemaName } from "../space/schema-name.ts";

/** Something that an agent has, by kind and key, with a hash of its state: a file by its path, a fact by what never changes of it. */
export interface StateRow {
  kind: "file" | "fact";
  key: string;
  hash: string;
}

/** The same of what is there now. Of the facts of one slot one holds at a time: of one key and scope, or of one text and scope. */
export interface HeldRow extends StateRow {
  /** null: a file, or a fact that is over. */
  slot: string | null;
  /** A hash of what a fact says. */
  says: string | null;
}

/** A fact's key: ids differ between agents. */
const factKeySql = (fact: "f" | "s") =>
  `md5(concat_ws(chr(31), ${fact}.text_hash, coalesce(${fact}.key, ''), ${scopeSql(fact)}, extract(epoch FROM ${fact}.valid_from)))`;
const scopeSql = (fact: "f" | "s") => `${fact}.scope_user, ${fact}.scope_agent, ${fact}.scope_session`;
/** What a change of a fact changes; that it was said again does not count. */
const FACT_STATE = `md5(concat_ws(chr(31), f.category, f.importance, array_to_json(f.tags), f.decay_class,
  coalesce(extract(epoch FROM f.valid_to)::text, ''), coalesce(f.ended_by, ''), coalesce(extract(epoch FROM f.expires_at)::text, '')))`;
const SLOT = `md5(concat_ws(chr(31), f.key IS NULL, coalesce(f.key, f.text_hash), ${scopeSql("f")}))`;

/** Files of the server's folders are not the agent's to change. */
const stateSql = (schema: SchemaName) =>
  `SELECT 'file' AS kind, path AS key, content_hash AS hash, NULL AS slot, NULL AS says FROM ${schema}.files WHERE ${OWN_FILE}
   UNION ALL SELECT 'fact', ${factKeySql("f")}, ${FACT_STATE}, CASE WHEN f.valid_to IS NULL THEN ${SLOT} END, f.text_hash FROM ${schema}.facts f`;

/** What an agent has now. */
export async function readState(sql: SqlExecutor, schema: SchemaName): Promise<HeldRow[]> {
  return (await sql.executeSql<HeldRow>(stateSql(schema))).rows;
}

/** A fact with its key, its state, and the key of the fact which took its place. */
export interface KeyedFact extends FactRow {
  stateKey: string;
  stateHash: string;
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
    `SELECT ${FACT_COLUMNS}, ${factKeySql("f")} AS "stateKey", ${FACT_STATE} AS "stateHash",
            (SELECT ${factKeySql("s")} FROM ${schema}.facts s WHERE s.id = f.superseded_by) AS "supersededByKey"
       FROM ${schema}.facts f WHERE ${factKeySql("f")} = ANY($1::text[])`,
    [keys],
  );
  return new Map(rows.map((row) => [row.stateKey, row]));
}

/**
 * Gives facts the state that facts of another agent have; what took their place is left to be said. Texts and whom they are for stay.
 *
 * @param noted ids of those whose change is noted: all that the agent had before
 */
export async function giveFactStates(
  sql: SqlExecutor,
  schema: SchemaName,
  facts: readonly FactRow[],
  { noted, now, by }: { noted: readonly string[]; now: Date; by: string },
): Promise<void> {
  if (facts.length === 0) return;
  const column = <T>(of: (fact: FactRow) => T) => facts.map(of);
  const instant = (of: (fact: FactRow) => Date | null) => facts.map((one) => of(one)?.toISOString() ?? null);
  await sql.executeSql(
    `WITH noted AS (${noteChangeSql(schema, { ids: "$10", kind: "merged", at: "$11", by: "$12::text" })})
     UPDATE ${schema}.facts f SET category = n.category, importance = n.importance, decay_class = n.decay_class,
            tags = ARRAY(SELECT jsonb_array_elements_text(n.tags::jsonb)), valid_to = n.valid_to, ended_by = n.ended_by,
            superseded_by = NULL, expires_at = n.expires_at, confirmed_at = greatest(f.confirmed_at, n.confirmed_at), updated_at = $11
       FROM unnest($1::bigint[], $2::text[], $3::real[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::timestamptz[],
                   $9::timestamptz[])
         AS n (id, category, importance, decay_class, tags, valid_to, ended_by, expires_at, confirmed_at)
      WHERE f.id = n.id`,
    [
      column((one) => one.id),
      column((one) => one.category),
      column((one) => one.importance),
      column((one) => one.decayClass),
      column((one) => JSON.stringify(one.tags)),
      instant((one) => one.validTo),
      column((one) => one.endedBy),
      instant((one) => one.expiresAt),
      instant((one) => one.confirmedAt),
      ...[noted, now, by],
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
