import { describe, expect, test } from "vitest";
import { createGuard, createResilienceRegistry } from "../../src/embeddings/provider-guard.ts";

describe("providers that tenants make up", () => {
  const ask = (registry: ReturnType<typeof createResilienceRegistry>, key: string, request: () => Promise<unknown>) =>
    createGuard(
      registry,
      { lane: key, breaker: key },
      { concurrency: 1, sleep: async () => undefined },
    )(request, { inputType: "document" });

  test("are forgotten, longest unused first; one with a request under way is not", async () => {
    const registry = createResilienceRegistry();
    let answer = () => {};
    const busy = ask(registry, "busy", () => new Promise<void>((resolve) => (answer = resolve)));
    for (let i = 0; i < 3000; i++) await ask(registry, `made-up-${i}`, async () => undefined);
    expect([registry.lanes.size, registry.breakers.size]).toEqual([1000, 1000]);
    expect([registry.lanes.has("busy"), registry.breakers.has("busy")]).toEqual([true, true]);
    // The limit of `busy` still holds.
    let second = false;
    const waiting = ask(registry, "busy", async () => {
      second = true;
    });
    await ask(registry, "another", async () => undefined);
    expect(second).toBe(false);
    answer();
    await Promise.all([busy, waiting]);
    expect(second).toBe(true);
    for (let i = 0; i < 1100; i++) await ask(registry, `later-${i}`, async () => undefined);
    expect(registry.lanes.has("busy")).toBe(false);
  });
});
