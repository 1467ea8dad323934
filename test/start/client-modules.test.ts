import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FEATURES } from "../../src/features.ts";
import { type FakeApi, startFakeApi } from "../support/fake-api.ts";
import { runCommand } from "../support/process.ts";

const SOURCE = fileURLToPath(new URL("../../src/start/cli.ts", import.meta.url));

/** A module costs a command half a millisecond of processor time, and five from TypeScript. */
const MOST_MODULES = 90;
/** On average a feature is a module for the list of features, and one for its commands. */
const MOST_MODULES_OF_FEATURE = 2;
const PACKAGES = ["commander", "eventsource-parser", "leven"];

let api: FakeApi;
let folder: string;

beforeAll(async () => {
  api = await startFakeApi();
  folder = mkdtempSync(join(tmpdir(), "recollect-modules-"));
  writeFileSync(join(folder, "a.md"), "A note");
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** Returns the modules that a command loads, as paths below the project's folder. */
async function modulesOf(args: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const all = {
    HOME: folder,
    RECOLLECT_URL: api.url,
    ...env,
    NODE_OPTIONS: `--import ${new URL("../support/loaded-modules.ts", import.meta.url)}`,
  };
  // The packed command would hide the modules.
  const { ended, output } = runCommand(args, all, SOURCE);
  expect([await ended, output().stderr.replace(/loaded \[.*\]\n/, "")]).toEqual([0, ""]);
  const [, list = "[]"] = /^loaded (\[.*\])$/m.exec(output().stderr) ?? [];
  const root = new URL("../../", import.meta.url).href;
  return (JSON.parse(list) as string[]).map((url) => url.slice(root.length));
}

const packagesOf = (modules: readonly string[]) => [
  ...new Set(modules.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])),
];

test.each([[["--version"]], [["search", "pumps"]], [["status"]], [["usage"]], [["agents", "list"]]])(
  "a command for a server loads little, and nothing of the service: %j",
  async (args) => {
    api.intercept = () => ({ status: 200, body: { results: [], agents: [], jobs: {} } });
    const modules = await modulesOf(args);
    api.intercept = () => undefined;
    expect(packagesOf(modules).sort()).toEqual(PACKAGES);
    expect(modules.filter((path) => /^src\/(http|mcp|jobs|relevance|ingest|settings|queue|onnx)\//.test(path))).toEqual(
      [],
    );
    const [ofFeatures = [], ofCore = []] = [true, false].map((isOf) =>
      modules.filter((path) => isOf === path.startsWith("src/features")),
    );
    expect(ofCore.length).toBeLessThan(MOST_MODULES);
    expect(ofFeatures.length).toBeLessThanOrEqual(1 + FEATURES.length * MOST_MODULES_OF_FEATURE);
  },
);

test("a profile leads there without more", async () => {
  const env = { RECOLLECT_URL: "", RECOLLECT_PROFILE: "team" };
  const { ended } = runCommand(["profile", "add", "team", "--url", api.url], { HOME: folder });
  expect(await ended).toBe(0);
  api.intercept = () => ({ status: 200, body: { results: [] } });
  expect(packagesOf(await modulesOf(["search", "pumps"], env)).sort()).toEqual(PACKAGES);
  api.intercept = () => undefined;
});

test("a sync loads what walks a folder besides", async () => {
  const modules = await modulesOf(["sync", folder, "--no-wait"]);
  expect(packagesOf(modules).sort()).toEqual([...PACKAGES, "ignore", "isbinaryfile"].sort());
  expect(api.paths()).toEqual(["a.md"]);
});
