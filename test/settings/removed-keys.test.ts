import { describe, expect, test } from "vitest";
import { REMOVED_SETTINGS, REMOVED_VARIABLES, withoutRemovedSettings } from "../../src/base/removed-keys.ts";
import { readConfig } from "../../src/config/config.ts";
import { parseConfigFile } from "../../src/settings/config-file.ts";
import { layersOf } from "../../src/settings/service-defaults.ts";
import { mergeSettingsPatch, parseSettings, presentSettings } from "../../src/settings/settings.ts";
import type { SettingsPatch } from "../../src/settings/settings-schema.ts";

/** Returns `{a: {b: value}}` for `a.b`. */
function nested(path: string, value: unknown): SettingsPatch {
  return path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as SettingsPatch;
}

describe.each([...REMOVED_SETTINGS])("the removed setting %s", (path, reason) => {
  const sentence = (place: string) => `The settings are not valid. ${place}.${path} is no longer a setting: ${reason}.`;
  const stored = { ...nested(path, 1), model: "m" };

  test("is refused in a request and in a file, with the reason and no value", () => {
    expect(() => parseSettings(nested(path, "secret"), "settings")).toThrow(sentence("settings"));
    expect(() => mergeSettingsPatch({}, nested(path, 1), "settings")).toThrow(sentence("settings"));
    const place = "agents.defaults.memorySearch";
    expect(() => parseConfigFile({ agents: { defaults: { memorySearch: nested(path, 1) } } })).toThrow(sentence(place));
    const named = { agents: { list: [{ id: "a", memorySearch: nested(path, 1) }] } };
    expect(() => parseConfigFile(named)).toThrow(sentence("agents.list[0].memorySearch"));
  });

  test("may be taken back by null, which changes nothing", () => {
    expect(() => mergeSettingsPatch({}, nested(path, null), "settings")).not.toThrow();
  });

  test("is dropped from a stored layer, which a patch can then change", () => {
    expect(mergeSettingsPatch(stored, { citations: "on" }, "settings")).toMatchObject({ model: "m", citations: "on" });
    expect(JSON.stringify(mergeSettingsPatch(stored, {}, "settings"))).not.toContain(path.split(".").at(-1));
    expect(presentSettings(stored)).toEqual(withoutRemovedSettings(stored));
    const defaults = { layers: [], layersOfAgent: () => [] };
    const layers = layersOf(defaults, { agentId: "a", tenantSettings: stored, agentSettings: stored });
    expect(layers.map(({ settings }) => settings)).toEqual([
      withoutRemovedSettings(stored),
      withoutRemovedSettings(stored),
    ]);
  });

  test("is not a setting any more", () => {
    expect(() => parseSettings(nested(path, undefined), "settings")).toThrow(path);
  });
});

test("what lies beside a removed setting stays, and a layer without one is the same object", () => {
  const recall = { maxFacts: 3 };
  const stored = { facts: { recall: { ...recall, corpus: "facts" }, duplicateDistance: 0.1 }, model: "m" };
  const before = structuredClone(stored);
  expect(withoutRemovedSettings(stored)).toEqual({ facts: { recall }, model: "m" });
  expect(stored).toEqual(before);
  const current = { facts: { recall } };
  expect(withoutRemovedSettings(current)).toBe(current);
});

test.each([{}, { facts: null }, { facts: [] }, { facts: "x" }, { facts: { recall: 3 } }])(
  "a stored layer that is not as expected stays: %j",
  (layer) => {
    expect(withoutRemovedSettings(layer)).toBe(layer);
  },
);

describe.each([...REMOVED_VARIABLES])("the removed variable %s", (name, reason) => {
  test("stops the start with the reason, and not with the value", () => {
    const sentence = `The environment is not valid. ${name} is no longer a variable: ${reason}.`;
    expect(() => readConfig({ [name]: "secret" })).toThrow(sentence);
    expect(() => readConfig({ [name]: "secret", RECOLLECT_PORT: "x" })).toThrow(/is no longer .*; RECOLLECT_PORT: /);
  });

  test("does not matter when it is empty", () => {
    expect(() => readConfig({ [name]: "" })).not.toThrow();
  });
});
