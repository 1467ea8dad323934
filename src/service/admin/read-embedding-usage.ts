import { DAY_MS } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { decodeCursor, notOfAListing, pageOf } from "../../base/page-cursor.ts";
import { listEmbeddingUsage, sumEmbeddingUsage, type UsageRow } from "../../db/control/embedding-usage.ts";
import { authoriseUnbound } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import { type Asked, dayOf } from "../embedding/embedding-usage.ts";

/** One line of the usage: an agent's requests to one model on one UTC day. */
interface UsageEntry extends Asked {
  day: string;
  /** "" stands for all agents that were erased. */
  agentId: string;
  provider: string;
  model: string;
  kind: "document" | "query";
  /** In billionths of a US dollar; null when the model's price is not known. */
  costNanoUsd: number | null;
}

export interface UsageReport {
  from: string;
  to: string;
  /**
   * The sums over all days of the report, on every page. The cost covers the tokens whose price is
   * known.
   */
  totals: Asked & { costNanoUsd: number; unpricedTokens: number };
  entries: UsageEntry[];
  nextCursor?: string;
}

const MAX_DAYS = 400;
const DEFAULT_DAYS = 30;
/**
 * Returns the usage of embedding providers by a tenant's agents, per agent and day. Covers the last
 * 30 days by default.
 *
 * @param wanted first and last UTC day (`YYYY-MM-DD`), both included, at most 400 days
 * @throws AppError `forbidden`, `invalid_request`
 */
export async function readEmbeddingUsage(
  deps: Deps,
  caller: Caller,
  wanted: {
    from?: string | undefined;
    to?: string | undefined;
    agentId?: string | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<UsageReport> {
  authoriseUnbound(caller, "tenant");
  const to = wanted.to ?? dayOf(deps.clock());
  const from = wanted.from ?? dayOf(new Date(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS));
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (!(days >= 1 && days <= MAX_DAYS))
    throw new AppError("invalid_request", `'from' must not be after 'to', and both within ${MAX_DAYS} days.`);
  const filter = { from, to, agentId: wanted.agentId };
  const after = wanted.cursor === undefined ? undefined : keyOf(wanted.cursor);
  const rows = await listEmbeddingUsage(deps.db, caller.tenantId, filter, { after, limit: wanted.limit + 1 });
  const { page, next } = pageOf(rows, wanted.limit, cursorKey);
  return {
    from,
    to,
    totals: await sumEmbeddingUsage(deps.db, caller.tenantId, filter),
    entries: page.map(entry),
    ...next,
  };
}

function entry({ day, agentId, provider, model, kind, requests, texts, tokens, ...cost }: UsageRow): UsageEntry {
  const costNanoUsd = cost.unpricedTokens > 0 ? null : cost.costNanoUsd;
  return { day, agentId, provider, model, kind, requests, texts, tokens, costNanoUsd };
}

function cursorKey({ day, agentId, provider, model, kind }: UsageRow): string {
  return JSON.stringify([day, agentId, provider, model, kind]);
}

/** Returns whether a text is a real day. `Date.parse` reads 31 February as 3 March. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && dayOf(new Date(at)) === text;
}

function keyOf(cursor: string): string[] {
  try {
    const key: unknown = JSON.parse(decodeCursor(cursor));
    const texts = Array.isArray(key) ? key.filter((part) => typeof part === "string" && !part.includes("\u0000")) : [];
    // A day that Postgres cannot read would cause an internal error.
    if (texts.length === 5 && /^2\d{3}-\d\d-\d\d$/.test(texts[0]) && isDay(texts[0])) return texts;
  } catch {
    // The key is not from a cursor of this listing. The code below refuses it.
  }
  throw notOfAListing();
}
