import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { mergeSettingsPatch, parseSettings, presentSettings } from "../../src/settings/settings.ts";
import { type SettingsPatch, settingsSchema } from "../../src/settings/settings-schema.ts";

const merge = (base: SettingsPatch, patch: unknown) => mergeSettingsPatch(base, patch, "settings");

const whole = (min: number, max: number) => fc.integer({ min, max });
const share = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0); // no -0, which JSON cannot hold
const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record<T, never>(model, { requiredKeys: [] });
/** Sometimes `null` as a value, which removes the key in a patch. */
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3, nil: null });
const headers = (value: fc.Arbitrary<string | null>) =>
  fc.dictionary(fc.constantFrom("A", "B", "C"), value, { noNullPrototype: true });

function tree<T>(leaf: <L>(value: fc.Arbitrary<L>) => fc.Arbitrary<L | T>) {
  const hybrid = some({
    vectorWeight: leaf(share),
    candidateMultiplier: leaf(whole(1, 20)),
    mmr: leaf(some({ enabled: leaf(fc.boolean()), lambda: leaf(share) })),
  });
  return some({
    enabled: leaf(fc.boolean()),
    sources: leaf(fc.constantFrom(["memory"], ["sessions"], ["memory", "sessions"])),
    extraPaths: leaf(fc.array(fc.constantFrom("a", "b"), { maxLength: 3 })),
    remote: leaf(some({ nonBatchConcurrency: leaf(whole(1, 64)), headers: leaf(headers(leaf(fc.string()) as never)) })),
    query: leaf(some({ maxResults: leaf(whole(1, 100)), hybrid: leaf(hybrid) })),
  });
}
const layers = tree<never>((value) => value) as fc.Arbitrary<unknown> as fc.Arbitrary<SettingsPatch>;
const patches = tree<null>(orNull);

/** Implements RFC 7396, section 2, word for word on plain JSON values. */
function reference(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const object = typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  const result = object as Record<string, unknown>;
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = reference(result[name], value);
  }
  return result;
}

describe("the merge patch", () => {
  test("keeps stored settings that an older release knew usable, and refuses them in a patch", () => {
    const stored = { facts: { capture: { languages: ["de"], extract: true } } } as SettingsPatch;
    expect(merge(stored, { facts: { capture: { enabled: false } } })).toEqual({
      facts: { capture: { extract: true, enabled: false } },
    });
    expect(merge(stored, { facts: { capture: { languages: null } } })).toEqual({
      facts: { capture: { extract: true } },
    });
    expect(() => merge(stored, { facts: { capture: { languages: ["en"] } } })).toThrow(
      /facts\.capture\.languages is no longer a setting:.*facts\.capture\.extract/,
    );
    expect(presentSettings(stored)).toEqual({ facts: { capture: { extract: true } } });
  });

  test("replaces, goes deeper and removes", () => {
    const base: SettingsPatch = { enabled: true, query: { maxResults: 3, minScore: 0.2 } };
    expect(merge(base, { query: { maxResults: 9 } })).toEqual({
      enabled: true,
      query: { maxResults: 9, minScore: 0.2 },
    });
    expect(merge(base, { query: { minScore: null } })).toEqual({ enabled: true, query: { maxResults: 3 } });
    expect(merge(base, { query: null })).toEqual({ enabled: true });
  });

  test("replaces a list whole and merges headers by name", () => {
    expect(merge({ extraPaths: ["a", "b"] }, { extraPaths: ["c"] })).toEqual({ extraPaths: ["c"] });
    expect(merge({ remote: { headers: { A: "1", B: "2" } } }, { remote: { headers: { A: null, C: "3" } } })).toEqual({
      remote: { headers: { B: "2", C: "3" } },
    });
  });

  test("does what RFC 7396 says", () => {
    fc.assert(
      fc.property(layers, patches, (base, patch) => {
        expect(merge(base, patch)).toEqual(reference(base, patch));
      }),
    );
  });

  test("changes neither of its arguments", () => {
    fc.assert(
      fc.property(layers, patches, (base, patch) => {
        const before = structuredClone([base, patch]);
        merge(base, patch);
        expect([base, patch]).toEqual(before);
      }),
    );
  });

  test("the same patch a second time changes nothing; an empty one never does", () => {
    fc.assert(
      fc.property(layers, patches, (base, patch) => {
        const once = merge(base, patch);
        expect(merge(once, patch)).toEqual(once);
        expect(merge(base, {})).toEqual(base);
      }),
    );
  });

  test("whatever JSON comes in, the result is valid settings or invalid_settings, and no prototype is changed", () => {
    const key = fc.constantFrom(
      "__proto__",
      "constructor",
      "prototype",
      "query",
      "remote",
      "headers",
      "hybrid",
      "enabled",
    );
    const { anything } = fc.letrec((tie) => ({
      anything: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 1, "x", []),
        fc.array(fc.tuple(key, tie("anything")), { maxLength: 4 }),
      ),
    }));
    // Pairs become own properties, as JSON.parse makes them: a literal __proto__ would set the
    // prototype instead.
    const build = (value: unknown): unknown =>
      Array.isArray(value)
        ? Object.fromEntries((value as [string, unknown][]).map(([name, child]) => [name, build(child)]))
        : value;
    fc.assert(
      fc.property(layers, anything, (base, raw) => {
        try {
          const merged = merge(base, build(raw));
          expect(settingsSchema.safeParse(merged).success).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect((error as AppError).code).toBe("invalid_settings");
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  '{"__proto__":{"polluted":1}}',
  '{"query":{"__proto__":{"polluted":1}}}',
  '{"constructor":{"prototype":{}}}',
])("%s is refused by name", (json) => {
  expect(() => merge({}, JSON.parse(json))).toThrow(/__proto__|constructor/);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("a name from Object.prototype does not count as something the settings have", () => {
  expect(() => merge({}, { toString: null })).not.toThrow();
  expect(() => merge({}, { remote: { headers: { constructor: "x" } } })).not.toThrow();
  expect(merge({}, { remote: { headers: { constructor: "x" } } }).remote?.headers).toEqual({ constructor: "x" });
});

test.each([[null], [[]], ["x"], [7], [undefined]])("%j is no patch", (patch) => {
  expect(() => merge({}, patch)).toThrow(AppError);
});

test("the result is checked, with its path", () => {
  expect(() => merge({ query: { maxResults: 3 } }, { query: { maxResults: 101 } })).toThrow(
    /settings\.query\.maxResults/,
  );
  expect(() => merge({}, { query: { maxResult: 3 } })).toThrow(/settings\.query\.maxResult/);
});

test("a layer survives its own parse", () => {
  fc.assert(
    fc.property(layers, (layer) => {
      expect(parseSettings(layer, "settings")).toEqual(layer);
    }),
  );
});
