import { AppError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { addEmbeddingUsage, type UsageRow } from "../../db/control/embedding-usage.ts";
import type { Database } from "../../db/database.ts";

/** Counts the requests of searches, without making a search wait. */
export interface QueryUsage {
  add(row: UsageRow): void;
  /** Writes what has been counted. */
  flush(): Promise<void>;
  /** Writes the rest and ends. */
  stop(): Promise<void>;
}

/** A crash loses at most the counts of so many milliseconds. */
const FLUSH_MS = 5000;

/** Collects the usage of queries in this process and writes the sums every few seconds, and at the end. */
export function startQueryUsage(db: Database, logger: Logger): QueryUsage {
  let counted = new Map<string, UsageRow>();
  let writing: Promise<void> = Promise.resolve();
  const add = (row: UsageRow) => {
    const key = JSON.stringify([row.tenantId, row.agentId, row.day, row.provider, row.model, row.kind]);
    const known = counted.get(key);
    counted.set(key, known ? sum(known, row) : row);
  };
  const write = async () => {
    if (counted.size === 0) return;
    const rows = [...counted.values()];
    counted = new Map();
    try {
      await addEmbeddingUsage(db, rows);
    } catch (error) {
      // The database is unavailable: they are written with the next ones.
      rows.forEach(add);
      logger.warn(
        { code: error instanceof AppError ? error.code : "unknown" },
        "the usage of queries could not be written and is kept",
      );
    }
  };
  // One after the other, so that only one is in flight when the process ends.
  const flush = () => {
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    add,
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
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
