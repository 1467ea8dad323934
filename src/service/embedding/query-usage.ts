import type { Logger } from "../../base/logger.ts";
import { addEmbeddingUsage, type UsageRow } from "../../db/control/embedding-usage.ts";
import type { Database } from "../../db/database.ts";
import { startWriteBehind, type WriteBehind } from "../core/write-behind.ts";

/** Counts the requests of searches, without making a search wait. */
export type QueryUsage = WriteBehind<UsageRow>;

/** The most rows that wait: more than the agents that a process can search in five seconds. */
const MAX_ROWS = 100_000;

/**
 * Collects the usage of queries in this process and writes the sums every few seconds, and at the
 * end.
 */
export function startQueryUsage(db: Database, logger: Logger): QueryUsage {
  return startWriteBehind({
    what: "the usage of queries",
    keyOf: (row) => JSON.stringify([row.tenantId, row.agentId, row.day, row.provider, row.model, row.kind]),
    sum,
    write: (rows) => addEmbeddingUsage(db, rows),
    maxRows: MAX_ROWS,
    logger,
  });
}

function sum(one: UsageRow, other: UsageRow): UsageRow {
  return {
    ...one,
    requests: one.requests + other.requests,
    texts: one.texts + other.texts,
    tokens: one.tokens + other.tokens,
    costNanoUsd: one.costNanoUsd + other.costNanoUsd,
    unpricedTokens: one.unpricedTokens + other.unpricedTokens,
  };
}
