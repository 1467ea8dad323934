import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadOptional } from "../../src/base/optional-package.ts";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import type { LlamaEngine } from "../../src/embeddings/local-embedder.ts";
import { type ProviderChoice, type ProviderKeys, resolveProvider } from "../../src/embeddings/resolve-provider.ts";
import { fakeLlama } from "../support/fake-llama.ts";
import { startFakeProvider } from "../support/fake-provider.ts";

const ALL: ProviderKeys = { openai: "o", gemini: "g", voyage: "v", mistral: "m" };
const local = { modelPath: "/models/a.gguf" };

describe("which provider is taken", () => {
  const cases: [string, Partial<ProviderChoice>, ProviderKeys, string][] = [
    ["a model file that exists comes first", { local }, ALL, "local"],
    ["then OpenAI", {}, ALL, "openai"],
    ["a configured key is OpenAI's", { apiKey: "k" }, { gemini: "g" }, "openai"],
    ["then Gemini", {}, { ...ALL, openai: undefined }, "gemini"],
    ["then Voyage", {}, { voyage: "v", mistral: "m" }, "voyage"],
    ["then Mistral", {}, { mistral: "m" }, "mistral"],
    ["an empty key is none", {}, { openai: "", mistral: "m" }, "mistral"],
    ["then the fallback", { fallback: "ollama" }, {}, "ollama"],
    ["then the built-in model", {}, {}, "builtin"],
    ["none and auto are no fallback", { fallback: "none" }, {}, "builtin"],
    ["a key from the environment is not for another address", { baseUrl: "https://elsewhere" }, ALL, "builtin"],
  ];
  test.each(cases)("auto: %s", (_what, settings, keys, provider) => {
    const exists = (path: string) => path === local.modelPath;
    expect(resolveProvider({ provider: "auto", ...settings }, keys, exists).provider).toBe(provider);
  });

  test("auto: a model file that is not there is passed over", () => {
    expect(resolveProvider({ provider: "auto", local }, {}, () => false)).toEqual({ provider: "builtin", via: "auto" });
  });

  test.each(["ollama", "none", "builtin", "local", "openai-compatible"] as const)(
    "%s is taken when named",
    (provider) => {
      expect(resolveProvider({ provider }, ALL, () => true)).toEqual({ provider, via: "named" });
    },
  );

  test.each([
    ["openai", "OPENAI_API_KEY"],
    ["gemini", "GEMINI_API_KEY"],
    ["voyage", "VOYAGE_API_KEY"],
    ["mistral", "MISTRAL_API_KEY"],
  ] as const)("%s without its key fails closed and names %s", async (provider, variable) => {
    const others = { ...ALL, [provider]: undefined };
    const refusal = { code: "config_invalid", message: expect.stringContaining(variable) };
    expect(() => resolveProvider({ provider }, others, () => true)).toThrow(expect.objectContaining(refusal));
    await expect(createEmbedder({ provider, cacheDir: "", keys: others })).rejects.toMatchObject(refusal);
  });
});

describe("the embedder of the settings", () => {
  const models: [Parameters<typeof createEmbedder>[0]["provider"], string, number][] = [
    ["openai", "text-embedding-3-small", 1536],
    ["gemini", "gemini-embedding-001", 3072],
    ["voyage", "voyage-4-large", 1024],
    ["mistral", "mistral-embed", 1024],
    ["ollama", "nomic-embed-text", 768],
    ["builtin", "all-MiniLM-L6-v2-int8", 384],
  ];
  test.each(models)("%s has the default model %s, and asks no one for it", async (provider, model, dimensions) => {
    const embedder = await createEmbedder({ provider, cacheDir: "", keys: ALL });
    expect(embedder).toMatchObject({ provider, model, dimensions });
  });

  test("none is none", async () => {
    expect(await createEmbedder({ provider: "none", cacheDir: "", keys: ALL })).toBeUndefined();
  });

  test("a provider that cannot be had is replaced as a whole, and it is said why", async () => {
    const warnings: string[] = [];
    const embedder = await createEmbedder({
      provider: "voyage",
      fallback: "openai",
      cacheDir: "",
      keys: { openai: "o" },
      model: "voyage-4",
      outputDimensionality: 512,
      queryInputType: "query",
      headers: { a: "b" },
      onWarning: (message) => warnings.push(message),
    });
    const alone = await createEmbedder({ provider: "openai", cacheDir: "", keys: { openai: "o" } });
    expect(embedder).toMatchObject({ provider: "openai", model: "text-embedding-3-small", dimensions: 1536 });
    expect(embedder?.providerKey).toBe(alone?.providerKey);
    expect(warnings).toEqual([expect.stringMatching(/voyage.*fallback openai.*VOYAGE_API_KEY/)]);
  });

  test("auto says that a model whose provider has no key is not used", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const other = await createEmbedder({ provider: "auto", model: "text-embedding-3-large", cacheDir: "", onWarning });
    expect(other?.provider).toBe("builtin");
    expect(warnings).toEqual([expect.stringContaining('"text-embedding-3-large" is no built-in model')]);
    await createEmbedder({ provider: "auto", model: "all-MiniLM-L6-v2", cacheDir: "", onWarning });
    await createEmbedder({ provider: "auto", model: "text-embedding-3-large", cacheDir: "", keys: ALL, onWarning });
    expect(warnings).toHaveLength(1);
  });

  test("an address without a provider that asks a server is told to have no effect", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const at = { baseUrl: "http://127.0.0.1:9/v1", cacheDir: "", onWarning };
    for (const provider of ["auto", "builtin", "none"] as const) {
      await createEmbedder({ ...at, provider });
      const used = provider === "auto" ? "builtin" : provider;
      expect(warnings.splice(0)).toEqual([
        expect.stringMatching(
          new RegExp(`RECOLLECT_BASE_URL\\) has no effect, .* ${used} is used.*RECOLLECT_PROVIDER=openai-compatible`),
        ),
      ]);
    }
    expect((await createEmbedder({ ...at, provider: "auto", apiKey: "k" }))?.provider).toBe("openai");
    expect(warnings).toEqual([]);
  });

  describe("auto with a model file that this machine cannot use", () => {
    const modelPath = join(mkdtempSync(join(tmpdir(), "recollect-gguf-")), "a.gguf");
    writeFileSync(modelPath, "GGUF");
    afterAll(() => rmSync(dirname(modelPath), { recursive: true }));
    const absent = (): Promise<LlamaEngine> =>
      loadOptional("node-llama-cpp@3", "The provider local", async () => {
        throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
      });
    const unreadable = async (): Promise<LlamaEngine> => {
      const { engine, ...fake } = fakeLlama();
      fake.failure = new Error("no model");
      return {
        getLlama: async (options) => ({
          ...(await engine.getLlama(options)),
          loadModel: () => Promise.reject(fake.failure),
        }),
      };
    };
    test.each([
      ["a key", absent, { gemini: "g" }, {}, "gemini"],
      ["no key", absent, {}, {}, "builtin"],
      ["a fallback", absent, {}, { fallback: "ollama" }, "ollama"],
      ["a file that is no model", unreadable, {}, {}, "builtin"],
    ] as const)("takes the next provider, and says why: %s", async (_what, loadEngine, keys, more, provider) => {
      const warnings: string[] = [];
      const embedder = await createEmbedder({
        provider: "auto",
        local: { modelPath },
        cacheDir: "",
        keys,
        loadEngine,
        ...more,
        onWarning: (message) => warnings.push(message),
      });
      expect(embedder?.provider).toBe(provider);
      expect(warnings[0]).toMatch(new RegExp(`cannot be used; the provider ${provider} is used\\. .*node-llama-cpp`));
    });

    test("is refused where the provider local is named", async () => {
      const attempt = createEmbedder({ provider: "local", local: { modelPath }, cacheDir: "", loadEngine: absent });
      await expect(attempt).rejects.toMatchObject({ code: "config_invalid", message: expect.stringContaining("npm") });
    });
  });

  test("so is one that does not answer at the start", async () => {
    const fake = await startFakeProvider("ollama");
    fake.steady = { status: 500 };
    const settings = { provider: "ollama", model: "unknown", baseUrl: fake.url, cacheDir: "" } as const;
    const resilience = { sleep: async () => undefined };
    await expect(createEmbedder({ ...settings, resilience })).rejects.toMatchObject({ code: "embedder_unavailable" });
    expect(await createEmbedder({ ...settings, resilience, fallback: "builtin" })).toMatchObject({
      provider: "builtin",
    });
    await fake.close();
  });

  test("one that answers and refuses is not: the settings are wrong, and a fallback would hide it", async () => {
    const fake = await startFakeProvider("openai");
    const { url: baseUrl } = fake;
    const settings = { provider: "openai", model: "unknown", baseUrl, apiKey: "wrong", cacheDir: "" } as const;
    const attempt = createEmbedder({ ...settings, fallback: "builtin" });
    await expect(attempt).rejects.toMatchObject({ code: "embedder_rejected", details: { status: 401 } });
    await fake.close();
  });

  test("a fallback that cannot be had either is an error", async () => {
    const attempt = createEmbedder({ provider: "openai", fallback: "gemini", cacheDir: "", keys: {} });
    await expect(attempt).rejects.toMatchObject({ message: expect.stringContaining("GEMINI_API_KEY") });
  });

  test("a provider that fails after its start is not replaced", async () => {
    const fake = await startFakeProvider("openai");
    const embedder = await createEmbedder({
      provider: "openai",
      fallback: "builtin",
      cacheDir: "",
      baseUrl: fake.url,
      apiKey: fake.key,
      outputDimensionality: 8,
      resilience: { sleep: async () => undefined },
    });
    fake.steady = { status: 500 };
    await expect(embedder?.embed(["x"], "query")).rejects.toMatchObject({ code: "embedder_unavailable" });
    await fake.close();
  });
});
