import { and, eq, gt, lte, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { idempotencyKeys } from "./schema.ts";

const { tenantId: tenant, key: keyColumn, agentId: agent, createdAt } = idempotencyKeys;

/** Reads the answer under a key, if it is younger than `oldest`. */
export async function findAnswer(
  sql: SqlExecutor,
  tenantId: string,
  key: string,
  oldest: Date,
): Promise<{ fingerprint: string; answer: unknown } | undefined> {
  const rows = await controlDb(sql)
    .select({ fingerprint: idempotencyKeys.fingerprint, answer: idempotencyKeys.answer })
    .from(idempotencyKeys)
    .where(and(eq(tenant, tenantId), eq(keyColumn, key), gt(createdAt, oldest)));
  return rows[0];
}

/**
 * Stores an answer, or replaces one that is older than `oldest`.
 *
 * @returns false when there is a younger answer
 */
export async function insertAnswer(
  sql: SqlExecutor,
  row: typeof idempotencyKeys.$inferInsert,
  oldest: Date,
): Promise<boolean> {
  const { agentId, fingerprint, answer, createdAt: at } = row;
  const rows = await controlDb(sql)
    .insert(idempotencyKeys)
    .values(row)
    .onConflictDoUpdate({
      target: [tenant, keyColumn],
      set: { agentId, fingerprint, answer, createdAt: at },
      setWhere: lte(createdAt, oldest),
    })
    .returning({ key: keyColumn });
  return rows.length > 0;
}

/** Deletes an agent's answers, because they can name its files. */
export async function deleteAgentAnswers(sql: SqlExecutor, tenantId: string, agentId: string): Promise<void> {
  await controlDb(sql)
    .delete(idempotencyKeys)
    .where(and(eq(tenant, tenantId), eq(agent, agentId)));
}

/** Deletes a tenant's stored answers. @returns their number */
export async function deleteTenantAnswers(sql: SqlExecutor, tenantId: string): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `WITH gone AS (
       DELETE FROM recollect.idempotency_keys
        WHERE tenant_id = $1
       RETURNING 1
     )
     SELECT count(*)::int AS count FROM gone`,
    [tenantId],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Deletes answers that are older than `oldest`, at most `limit` rows.
 *
 * @returns the number of deleted rows
 */
export async function pruneAnswers(sql: SqlExecutor, oldest: Date, limit: number): Promise<number> {
  const doomed = controlDb(sql)
    .select({ place: raw`ctid` })
    .from(idempotencyKeys)
    .where(lte(createdAt, oldest))
    .limit(limit);
  const rows = await controlDb(sql).delete(idempotencyKeys).where(raw`ctid IN ${doomed}`).returning({ key: keyColumn });
  return rows.length;
}
