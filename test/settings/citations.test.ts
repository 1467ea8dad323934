import { expect, test } from "vitest";
import { showsCitations } from "../../src/settings/citations.ts";

test.each([
  [undefined, true],
  ["web:1", true],
  ["agent:main:main", true],
  ["telegram:direct:5", true],
  ["agent:main:telegram:direct:group", true],
  ["agent:group:web:1", true],
  ["slack:channel:C042", false],
  ["agent:main:telegram:group:-100", false],
  ["Agent:main:Discord:Channel:9", false],
  ["group:120363@g.us", false],
] as const)("auto, in the session %j: %j", (key, shown) => {
  expect(showsCitations("auto", key)).toBe(shown);
  expect(showsCitations("on", key)).toBe(true);
  expect(showsCitations("off", key)).toBe(false);
});
