import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nodeProblem } from "../../src/start/node-version.ts";

const source = (name: string) => readFileSync(new URL(`../../src/start/${name}`, import.meta.url), "utf8");

test("the sentence names the Node.js that package.json requires", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const [, oldest = ""] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? [];
  expect(nodeProblem("20.20.2")).toContain(`Recollect needs Node.js ${oldest} or newer, and this is 20.20.2`);
});

test.each([
  ["18.19.0", true],
  ["20.20.2", true],
  ["22.21.1", true],
  ["22.22.0", false],
  ["22.100.0", false],
  ["23.0.0", false],
  ["24.21.0", false],
  ["26.0.0-nightly", false],
])("Node.js %s is too old: %s", (version, isTooOld) => {
  expect(nodeProblem(version) !== undefined).toBe(isTooOld);
});

test.each(["cli.ts", "create-recollect.ts", "recollect-container.ts"])(
  "%s checks the Node.js before it imports anything that an old one cannot load",
  (entry) => {
    const imports = [...source(entry).matchAll(/^import (?!type )(?:.* from )?"(.*)";$/gm)].map(([, path]) => path);
    expect(imports[0]).toMatch(/^\.\/(node-version|require-node)\.ts$/);
    // A module that a static import names is linked before any code runs. The container's entry
    // imports only modules that an old Node.js can link.
    if (entry !== "recollect-container.ts") expect(imports).toHaveLength(1);
  },
);

const SCRIPT = fileURLToPath(new URL("../../recollect", import.meta.url));
const runScript = (path: string) => spawnSync(path, ["--version"], { cwd: "/", encoding: "utf8" });

test("./recollect runs the command from any folder, also through a link", () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-script-"));
  symlinkSync(SCRIPT, join(folder, "memory"));
  for (const path of [SCRIPT, join(folder, "memory")])
    expect(runScript(path)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  rmSync(folder, { recursive: true });
});

test("./recollect says what a clone without its packages needs", () => {
  const clone = realpathSync(mkdtempSync(join(tmpdir(), "recollect-script-")));
  copyFileSync(SCRIPT, join(clone, "recollect"));
  expect(runScript(join(clone, "recollect"))).toMatchObject({
    status: 1,
    stdout: "",
    stderr: `The packages are not installed yet: run npm ci in ${clone}, then this command again.\n`,
  });
  rmSync(clone, { recursive: true });
});
