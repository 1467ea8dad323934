import { authoriseUnbound } from "../../agents/access.ts";
import { costOf } from "../../agents/embedding-prices.ts";
import { AppError } from "../../base/errors.ts";
import { listEmbeddingUsage, sumEmbeddingUsage, type UsageRow } from "../../db/control/embedding-usage.ts";
import type { Embedder, EmbedReport } from "../../embeddings/embedder.ts";
import type { Caller } from "../core/core-deps.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";

/** The requests to a provider. */
interface Asked {
  requests: number;
  texts: number;
  tokens: number;
}

/** The counters that a number of requests add to. */
export function usageOf(
  deps: Pick<EmbeddingDeps, "clock" | "defaults">,
  agent: { tenantId: string; agentId: string },
  embedder: Pick<Embedder, "provider" | "model">,
  asked: Asked & { kind: "document" | "query"; batch?: boolean },
): UsageRow {
  const { provider, model } = embedder;
  const { requests, texts, tokens, kind, batch = false } = asked;
  const cost = costOf(deps.defaults.prices, { provider, model, tokens, batch });
  return {
    ...{ tenantId: agent.tenantId, agentId: agent.agentId, day: dayOf(deps.clock()), provider, model, kind },
    ...{ requests, texts, tokens, costNanoUsd: cost ?? 0, unpricedTokens: cost === undefined ? tokens : 0 },
  };
}

/** Counts one text that a search has the provider embed. */
export function queryReport(
  deps: Pick<EmbeddingDeps, "clock" | "defaults" | "queryUsage">,
  agent: { tenantId: string; agentId: string },
  embedder: Embedder,
): EmbedReport {
  return ({ tokens }) =>
    deps.queryUsage.add(usageOf(deps, agent, embedder, { kind: "query", requests: 1, texts: 1, tokens }));
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** One line of the usage: an agent's requests to one model on one UTC day. */
interface UsageEntry extends Asked {
  day: string;
  /** "" stands for all agents that were erased. */
  agentId: string;
  provider: string;
  model: string;
  kind: "document" | "query";
  /** Billionths of a US dollar; null when the model's price is not known. */
  costNanoUsd: number | null;
}

export interface UsageReport {
  from: string;
  to: string;
  /** Over all days of the report, whatever page this is; the cost is that of the tokens whose price is known. */
  totals: Asked & { costNanoUsd: number; unpricedTokens: number };
  entries: UsageEntry[];
  nextCursor?: string;
}

const MAX_DAYS = 400;
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * What a tenant's agents asked of embedding providers, by agent and day: by default of the last 30 days.
 *
 * @param wanted first and last UTC day (`YYYY-MM-DD`), both included, at most 400
 * @throws AppError `forbidden`, `invalid_request`
 */
export async function readEmbeddingUsage(
  deps: EmbeddingDeps,
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
  const after = wanted.cursor === undefined ? undefined : parseCursor(wanted.cursor);
  const rows = await listEmbeddingUsage(deps.db, caller.tenantId, filter, { after, limit: wanted.limit + 1 });
  const page = rows.slice(0, wanted.limit);
  const last = page.at(-1);
  return {
    ...{ from, to },
    totals: await sumEmbeddingUsage(deps.db, caller.tenantId, filter),
    entries: page.map(entry),
    ...(rows.length > page.length && last ? { nextCursor: cursorOf(last) } : {}),
  };
}

function entry({ day, agentId, provider, model, kind, requests, texts, tokens, ...cost }: UsageRow): UsageEntry {
  const costNanoUsd = cost.unpricedTokens > 0 ? null : cost.costNanoUsd;
  return { day, agentId, provider, model, kind, requests, texts, tokens, costNanoUsd };
}

function cursorOf({ day, agentId, provider, model, kind }: UsageRow): string {
  return Buffer.from(JSON.stringify([day, agentId, provider, model, kind])).toString("base64url");
}

/** `Date.parse` takes 31 February for 3 March. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && dayOf(new Date(at)) === text;
}

function parseCursor(cursor: string): string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const texts = Array.isArray(key) ? key.filter((part) => typeof part === "string" && !part.includes("\u0000")) : [];
    // A day that Postgres would not read would be a fault of ours.
    if (texts.length === 5 && /^2\d{3}-\d\d-\d\d$/.test(texts[0]) && isDay(texts[0])) return texts;
  } catch {
    // Not one of ours, as below.
  }
  throw new AppError("invalid_request", "The cursor is not from a listing; start again without it.");
}
