import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { needsPackagesOf } from "../../support/needs.ts";

const FOLDER = "test/adapters/stores";

test("the adapters have the types that the frameworks ask for", needsPackagesOf(FOLDER), () => {
  expect(execFileSync("node_modules/.bin/tsc", ["-p", FOLDER], { encoding: "utf8" })).toBe("");
});
