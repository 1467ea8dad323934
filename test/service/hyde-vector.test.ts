import { describe, expect, test } from "vitest";
import type { UsageRow } from "../../src/db/control/embedding-usage.ts";
import { encodeVector } from "../../src/db/vector-codec.ts";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import type { KnownAgent } from "../../src/service/core/known-agent.ts";
import type { Deps } from "../../src/service/deps.ts";
import { hydeVector } from "../../src/service/embedding/embed-query.ts";

describe("a hypothetical passage", () => {
  const setting = () => {
    const counted: UsageRow[] = [];
    const asked: string[] = [];
    const deps = {
      queryVectors: new Map(),
      queryUsage: { add: (row: UsageRow) => counted.push(row) },
      modelTimeoutMs: 1000,
      models: { chat: () => ({ complete: async () => "A passage." }) },
      metrics: createMetrics(),
      clock: () => new Date("2026-01-02T00:00:00Z"),
      defaults: { prices: {} },
    } as unknown as Deps;
    const embedder = {
      provider: "openai",
      model: "m",
      providerKey: "k",
      embed: async (
        texts: string[],
        _type: string,
        _signal: AbortSignal,
        report: (used: { tokens: number }) => void,
      ) => {
        asked.push(...texts);
        report({ tokens: 9 });
        return [Float32Array.of(0, 1)];
      },
    } as unknown as Embedder;
    const ask = (agentId: string) => {
      const agent = {
        tenantId: "t",
        agentId,
        settings: { query: { hyde: {} }, cache: { enabled: true } },
      } as unknown as KnownAgent;
      return hydeVector(deps, { agent, embedder, query: "who", queryVector: encodeVector(Float32Array.of(1, 0)) });
    };
    return { ask, counted, asked };
  };

  test("is counted for the agent that asks", async () => {
    const { ask, counted } = setting();
    await ask("one");
    expect(counted).toMatchObject([{ agentId: "one", kind: "query", requests: 1, texts: 1, tokens: 9 }]);
  });

  test("is remembered for that agent alone: how long another's answer takes says nothing of its questions", async () => {
    const { ask, asked } = setting();
    expect(await ask("one")).toEqual(await ask("one"));
    await ask("two");
    expect(asked).toHaveLength(2);
  });
});
