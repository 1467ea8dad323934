import { and, eq, gte, lte, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { embeddingUsage } from "./schema.ts";

/** The usage of one model of one provider by one agent on one UTC day (`YYYY-MM-DD`). */
export type UsageRow = typeof embeddingUsage.$inferSelect;

/**
 * The agent id that holds the usage of erased agents, so that the tenant's sums stay what was paid.
 */
const ERASED = "";

export function countUsageRows(sql: SqlExecutor, tenantId: string): Promise<number> {
  return controlDb(sql).$count(embeddingUsage, eq(embeddingUsage.tenantId, tenantId));
}

export interface UsageFilter {
  /** The first day. Both the first and the last day are included. */
  from: string;
  to: string;
  agentId?: string | undefined;
}

/**
 * Adds to the counters. The usage of an erased agent counts as usage of erased agents. Rows are
 * written in the order of their key, so that two processes cannot deadlock.
 */
export async function addEmbeddingUsage(sql: SqlExecutor, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return;
  const column = <K extends keyof UsageRow>(key: K) => rows.map((row) => row[key]);
  await sql.executeSql(
    `INSERT INTO recollect.embedding_usage AS u (tenant_id, day, agent_id, provider, model, kind, requests, texts, tokens, cost_nano_usd, unpriced_tokens)
     SELECT n.tenant_id, n.day, coalesce(a.id, '${ERASED}'), n.provider, n.model, n.kind,
            sum(n.requests), sum(n.texts), sum(n.tokens), sum(n.cost), sum(n.unpriced)
       FROM unnest($1::uuid[], $2::date[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
                   $9::bigint[], $10::bigint[], $11::bigint[])
         AS n (tenant_id, day, agent_id, provider, model, kind, requests, texts, tokens, cost, unpriced)
       LEFT JOIN recollect.agents a
         ON a.tenant_id = n.tenant_id
        AND a.id = n.agent_id
        AND a.status <> 'erasing'
      GROUP BY 1, 2, 3, 4, 5, 6
      ORDER BY 1, 2, 3, 4, 5, 6
     ON CONFLICT (tenant_id, day, agent_id, provider, model, kind) DO UPDATE SET
       requests = u.requests + EXCLUDED.requests, texts = u.texts + EXCLUDED.texts, tokens = u.tokens + EXCLUDED.tokens,
       cost_nano_usd = u.cost_nano_usd + EXCLUDED.cost_nano_usd, unpriced_tokens = u.unpriced_tokens + EXCLUDED.unpriced_tokens`,
    [
      ...[column("tenantId"), column("day"), column("agentId"), column("provider"), column("model"), column("kind")],
      ...[column("requests"), column("texts"), column("tokens"), column("costNanoUsd"), column("unpricedTokens")],
    ],
  );
}

/**
 * Reads one page of a tenant's usage, ordered by day, agent, provider, model and kind, after the
 * row that `after` names.
 */
export function listEmbeddingUsage(
  sql: SqlExecutor,
  tenantId: string,
  filter: UsageFilter,
  page: { after: readonly string[] | undefined; limit: number },
): Promise<UsageRow[]> {
  const { day, agentId, provider, model, kind } = embeddingUsage;
  const [afterDay, ...after] = page.after ?? [];
  const beyond =
    afterDay === undefined
      ? undefined
      : raw`(${day}, ${agentId}, ${provider}, ${model}, ${kind}) > (${afterDay}::date, ${after[0] ?? ""}, ${after[1] ?? ""}, ${after[2] ?? ""}, ${after[3] ?? ""})`;
  return controlDb(sql)
    .select()
    .from(embeddingUsage)
    .where(and(matches(tenantId, filter), beyond))
    .orderBy(day, agentId, provider, model, kind)
    .limit(page.limit);
}

export type UsageSums = Pick<UsageRow, "requests" | "texts" | "tokens" | "costNanoUsd" | "unpricedTokens">;

/** Returns the sums over all rows that match the filter. */
export async function sumEmbeddingUsage(sql: SqlExecutor, tenantId: string, filter: UsageFilter): Promise<UsageSums> {
  const total = (column: typeof embeddingUsage.tokens) => raw<number>`coalesce(sum(${column}), 0)::float8`;
  const rows = await controlDb(sql)
    .select({
      requests: total(embeddingUsage.requests),
      texts: total(embeddingUsage.texts),
      tokens: total(embeddingUsage.tokens),
      costNanoUsd: total(embeddingUsage.costNanoUsd),
      unpricedTokens: total(embeddingUsage.unpricedTokens),
    })
    .from(embeddingUsage)
    .where(matches(tenantId, filter));
  return rows[0] ?? { requests: 0, texts: 0, tokens: 0, costNanoUsd: 0, unpricedTokens: 0 };
}

/**
 * Moves an agent's usage to the usage of erased agents. The cost stays in the tenant's sums, but no
 * longer under the agent's id.
 */
export async function forgetAgentUsage(sql: SqlExecutor, tenantId: string, agentId: string): Promise<void> {
  const own = await controlDb(sql)
    .delete(embeddingUsage)
    .where(and(eq(embeddingUsage.tenantId, tenantId), eq(embeddingUsage.agentId, agentId)))
    .returning();
  await addEmbeddingUsage(
    sql,
    own.map((row) => ({ ...row, agentId: ERASED })),
  );
}

function matches(tenantId: string, { from, to, agentId }: UsageFilter) {
  return and(
    eq(embeddingUsage.tenantId, tenantId),
    gte(embeddingUsage.day, from),
    lte(embeddingUsage.day, to),
    agentId === undefined ? undefined : eq(embeddingUsage.agentId, agentId),
  );
}
