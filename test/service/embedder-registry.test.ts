import { expect, test, vi } from "vitest";
import { createEmbedderRegistry } from "../../src/service/embedding/embedder-registry.ts";
import { DEFAULT_SETTINGS } from "../../src/settings/settings-schema.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

class Closable extends WordEmbedder {
  override readonly provider: string;
  closed = 0;
  constructor(provider: string) {
    super();
    this.provider = provider;
  }
  override async close() {
    this.closed++;
  }
}

test("settings that tenants make up are forgotten; a model that was loaded is closed all the same", async () => {
  const made: Closable[] = [];
  const registry = createEmbedderRegistry(async ({ provider }) => {
    made.push(new Closable(provider === "local" ? "local" : "openai"));
    return made.at(-1);
  });
  const local = { ...DEFAULT_SETTINGS, provider: "local" as const };
  const remote = (i: number) => ({ ...DEFAULT_SETTINGS, provider: "openai" as const, model: `m${i}` });
  const first = await registry.forSettings(local);
  expect(await registry.forSettings(local)).toBe(first);
  for (let i = 0; i < 600; i++) await registry.forSettings(remote(i));
  expect(made).toHaveLength(601);
  await registry.forSettings(remote(599));
  expect(made).toHaveLength(601);
  await registry.forSettings(remote(0));
  expect(made).toHaveLength(602);
  await registry.close();
  expect(made.filter((one) => one.closed > 0)).toEqual([first]);
});

test("a provider that could not be had at first is looked for again, and its fallback goes until then", async () => {
  let away = true;
  const asked: string[] = [];
  const registry = createEmbedderRegistry(async ({ provider, fallback }) => {
    asked.push(`${provider} ${fallback}`);
    if (away && fallback === "none") throw new Error("away");
    return new Closable(away ? "voyage" : provider);
  });
  const settings = { ...DEFAULT_SETTINGS, provider: "ollama" as const, fallback: "voyage" as const };
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    expect((await registry.forSettings(settings))?.provider).toBe("voyage");
    vi.advanceTimersByTime(61_000);
    expect((await registry.forSettings(settings))?.provider).toBe("voyage");
    away = false;
    vi.advanceTimersByTime(61_000);
    await registry.forSettings(settings);
    await Promise.resolve();
    await Promise.resolve();
    expect((await registry.forSettings(settings))?.provider).toBe("ollama");
  } finally {
    vi.useRealTimers();
  }
  expect(asked).toEqual(["ollama voyage", "ollama none", "ollama none"]);
});
