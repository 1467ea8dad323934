import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Feature } from "../../src/features/feature.ts";
import { FEATURES } from "../../src/features.ts";
import { enabledFeatures } from "../../src/start/enabled-features.ts";
import { type FakeApi, startFakeApi } from "../support/fake-api.ts";
import { runCommand } from "../support/process.ts";

const SOURCE = fileURLToPath(new URL("../../src/start/cli.ts", import.meta.url));

let api: FakeApi;
let folder: string;
beforeAll(async () => {
  api = await startFakeApi();
  folder = mkdtempSync(join(tmpdir(), "recollect-features-"));
  writeFileSync(join(folder, "a.md"), "A note");
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

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
  [
    "sails",
    "“sails” does not switch a feature off; write -name with one of boats, sails, or none. Did you mean -sails?",
  ],
  ["-oars", "“-oars” does not switch a feature off; write -name with one of boats, sails, or none."],
  ["-boat", "or none. Did you mean -boats?"],
  ["sail", "or none. Did you mean -sails?"],
  ["-sials,-boats", "or none. Did you mean -sails?"],
  ["nnoe", "or none. Did you mean none?"],
  ["none,-sails", "“none” does not switch a feature off"],
  ["-boats", "the feature sails needs boats; switch it off too (-sails), or keep boats"],
])("RECOLLECT_FEATURES=%s is refused with the remedy", (setting, message) => {
  expect(() => namesOf(setting)).toThrow(
    expect.objectContaining({ code: "config_invalid", message: expect.stringContaining(message) }),
  );
});

test.each([
  ["a process that needs the features", ["serve"], false, 1],
  ["a command on this machine's database", ["sync", "."], false, 1],
  ["a command for a server", ["status"], true, 0],
  ["a command that needs neither", ["completion", "bash"], false, 0],
  ["the help", ["--help"], false, 0],
  ["the doctor", ["doctor"], true, 1],
])("a misspelt feature is named once, with the nearest: %s", async (_what, args, isRemote, code) => {
  api.intercept = () => ({ status: 200, body: { agentId: "main" } });
  const env = { HOME: folder, RECOLLECT_FEATURES: "-captures", RECOLLECT_DATA_DIR: join(folder, "data") };
  const { ended, output } = runCommand(args, isRemote ? { ...env, RECOLLECT_URL: api.url } : env, SOURCE, folder);
  expect([await ended, output().stderr]).toEqual([code, expect.stringContaining("Did you mean -capture?")]);
  const { stdout, stderr } = output();
  expect(`${stdout}${stderr}`.split("“-captures” does not switch a feature off")).toHaveLength(2);
});
