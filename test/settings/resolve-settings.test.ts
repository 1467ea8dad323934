import { describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { resolveSettings } from "../../src/settings/settings.ts";
import { DEFAULT_SETTINGS, type SettingsPatch } from "../../src/settings/settings-schema.ts";

describe("the settings in effect", () => {
  test("without layers are the defaults, and every origin says so", () => {
    const { settings, origins } = resolveSettings([]);
    expect(settings).toEqual(DEFAULT_SETTINGS);
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
    expect(origins["query.hybrid.mmr.lambda"]).toBe("default");
  });

  test("take each value from the strongest layer that has it, and name that layer", () => {
    const { settings, origins } = resolveSettings([
      { origin: "user", settings: { query: { maxResults: 1, minScore: 0.1 }, model: "u" } },
      { origin: "tenant", settings: { query: { maxResults: 2, hybrid: { vectorWeight: 0.5 } } } },
      { origin: "agent", settings: { query: { maxResults: 3 } } },
    ]);
    expect(settings.query).toMatchObject({ maxResults: 3, minScore: 0.1, language: "auto" });
    expect(settings.query.hybrid).toMatchObject({ vectorWeight: 0.5, textWeight: 0.3 });
    expect(origins).toMatchObject({
      "query.maxResults": "agent",
      "query.minScore": "user",
      "query.hybrid.vectorWeight": "tenant",
      "query.hybrid.textWeight": "default",
      model: "user",
    });
  });

  test("replace lists and headers whole", () => {
    const { settings, origins } = resolveSettings([
      { origin: "user", settings: { extraPaths: ["a", "b"], remote: { headers: { A: "1", B: "2" } } } },
      { origin: "workspace", settings: { extraPaths: ["c"], remote: { headers: { C: "3" } } } },
    ]);
    expect(settings.extraPaths).toEqual(["c"]);
    expect(settings.remote.headers).toEqual({ C: "3" });
    expect(origins).toMatchObject({ extraPaths: "workspace", "remote.headers": "workspace" });
  });

  test("take false, 0 and the empty list for values", () => {
    const { settings, origins } = resolveSettings([
      { origin: "user", settings: { extraPaths: ["a"] } },
      { origin: "agent", settings: { enabled: false, extraPaths: [], query: { minScore: 0 } } },
    ]);
    expect(settings).toMatchObject({ enabled: false, extraPaths: [], query: { minScore: 0 } });
    expect(origins).toMatchObject({ enabled: "agent", extraPaths: "agent", "query.minScore": "agent" });
  });

  test("an explicit undefined does not cover what lies below it", () => {
    const { settings, origins } = resolveSettings([
      { origin: "user", settings: { model: "u", query: { maxResults: 9 } } },
      { origin: "agent", settings: { model: undefined, query: { maxResults: undefined } } },
    ]);
    expect([settings.model, settings.query.maxResults]).toEqual(["u", 9]);
    expect(origins).toMatchObject({ model: "user", "query.maxResults": "user" });
  });

  test("leave the defaults and the layers as they were", () => {
    const layer = { origin: "agent", settings: { query: { maxResults: 9 } } };
    const before = structuredClone([DEFAULT_SETTINGS, layer]);
    resolveSettings([layer]);
    expect([DEFAULT_SETTINGS, layer]).toEqual(before);
  });
});

describe("the weights of rrf", () => {
  const weights = (...layers: SettingsPatch[]) => {
    const { hybrid } = resolveSettings(layers.map((settings, at) => ({ origin: `${at}`, settings }))).settings.query;
    return [hybrid.vectorWeight, hybrid.textWeight];
  };

  test("are equal unless a layer sets one", () => {
    expect(weights({ query: { hybrid: { fusion: "rrf" } } })).toEqual([1, 1]);
    expect(weights({ query: { hybrid: { fusion: "rrf", vectorWeight: 0.5 } } })).toEqual([0.5, 0.3]);
    expect(weights({ query: { hybrid: { textWeight: 0.3 } } }, { query: { hybrid: { fusion: "rrf" } } })).toEqual([
      0.7, 0.3,
    ]);
  });

  test("those of the other rules stay 0.7 and 0.3", () => {
    expect(weights({})).toEqual([0.7, 0.3]);
    expect(weights({ query: { hybrid: { fusion: "weighted" } } })).toEqual([0.7, 0.3]);
    expect(weights({ query: { hybrid: { fusion: "rrf" } } }, { query: { hybrid: { fusion: "adaptive" } } })).toEqual([
      0.7, 0.3,
    ]);
  });
});

describe("an overlap that is not less than the chunk", () => {
  const refused = (...layers: Parameters<typeof resolveSettings>[0]) => {
    try {
      resolveSettings(layers);
    } catch (error) {
      return error as AppError;
    }
    throw new Error("nothing was refused");
  };

  test("is refused although each layer is valid for itself", () => {
    const error = refused(
      { origin: "user", settings: { chunking: { overlap: 300 } } },
      { origin: "agent", settings: { chunking: { tokens: 300 } } },
    );
    expect(error).toBeInstanceOf(AppError);
    expect(error.code).toBe("invalid_settings");
    expect(error.message).toContain("chunking.overlap");
    expect(error.message).toContain("user");
  });

  test("is refused against the default overlap as well", () => {
    expect(refused({ origin: "agent", settings: { chunking: { tokens: 80 } } }).code).toBe("invalid_settings");
  });

  test("one token less is enough", () => {
    const chunking = { tokens: 300, overlap: 299 };
    expect(resolveSettings([{ origin: "agent", settings: { chunking } }]).settings.chunking).toMatchObject(chunking);
  });
});
