import type { UsageRow } from "../../db/control/embedding-usage.ts";
import type { Embedder, EmbedReport } from "../../embeddings/embedder.ts";
import { costOf } from "../../settings/embedding-prices.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";

/** The size of one or more requests to a provider. */
export interface Asked {
  requests: number;
  texts: number;
  tokens: number;
}

/** Returns the usage row that one or more requests add to. */
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
    tenantId: agent.tenantId,
    agentId: agent.agentId,
    day: dayOf(deps.clock()),
    provider,
    model,
    kind,
    requests,
    texts,
    tokens,
    costNanoUsd: cost ?? 0,
    unpricedTokens: cost === undefined ? tokens : 0,
  };
}

/** Returns a report function that counts a text which a search has the provider embed. */
export function queryReport(
  deps: Pick<EmbeddingDeps, "clock" | "defaults" | "queryUsage">,
  agent: { tenantId: string; agentId: string },
  embedder: Embedder,
): EmbedReport {
  return ({ tokens }) =>
    deps.queryUsage.add(usageOf(deps, agent, embedder, { kind: "query", requests: 1, texts: 1, tokens }));
}

/** Returns the UTC day of an instant. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
