import { expect, test } from "vitest";
import type { Feature } from "../../src/features/feature.ts";
import { FEATURES } from "../../src/features.ts";
import { enabledFeatures } from "../../src/start/enabled-features.ts";

const OF_TWO: readonly Feature[] = [{ name: "boats" }, { name: "sails", requires: ["boats"] }];
const namesOf = (setting: string | undefined) => enabledFeatures(setting, OF_TWO).map(({ name }) => name);

test("all features are there unless the operator switches them off", () => {
  expect(enabledFeatures(undefined)).toEqual(FEATURES);
  expect(namesOf(undefined)).toEqual(["boats", "sails"]);
  expect(namesOf("")).toEqual(["boats", "sails"]);
  expect(namesOf("-sails")).toEqual(["boats"]);
  expect(namesOf(" -sails , -boats,")).toEqual([]);
  expect(namesOf("none")).toEqual([]);
});

test.each([
  ["sails", "“sails” does not switch a feature off; write -name with one of boats, sails, or none"],
  ["-oars", "“-oars” does not switch a feature off"],
  ["none,-sails", "“none” does not switch a feature off"],
  ["-boats", "the feature sails needs boats; switch it off too (-sails), or keep boats"],
])("RECOLLECT_FEATURES=%s is refused with the remedy", (setting, message) => {
  expect(() => namesOf(setting)).toThrow(
    expect.objectContaining({ code: "config_invalid", message: expect.stringContaining(message) }),
  );
});
