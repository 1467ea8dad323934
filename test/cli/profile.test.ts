import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CliContext } from "../../src/cli/shell/context.ts";
import { openProfiles } from "../../src/config/profiles.ts";
import { makeApiKey } from "../../src/service/core/api-key.ts";
import { runCaptured } from "../support/cli-harness.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "recollect-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const { key, prefix } = makeApiKey();
const URL_OPTION = ["--url", "https://memory.example"];

function profile(argv: string[], given: Partial<CliContext> = {}) {
  return runCaptured(["profile", ...argv], { profiles: openProfiles({ HOME: home }), ...given });
}

test("add, list, use and remove; a key is never shown whole", async () => {
  const added = await profile(["add", "team", ...URL_OPTION, "--key-stdin"], { readInput: async () => `${key}\n` });
  expect(added).toMatchObject({ code: 0, err: "" });
  expect(added.out).toContain(`Added team: https://memory.example, key ${prefix}….`);
  await profile(["add", "lab", "--url", "http://127.0.0.1:7420"]);
  await profile(["use", "team"]);
  const { out } = await profile(["list"]);
  expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["", "name", "url", "key"],
    ["", "embedded", "the database of this machine", "–"],
    ["", "lab", "http://127.0.0.1:7420", "–"],
    ["*", "team", "https://memory.example", `${prefix}…`],
    [""],
  ]);
  const json = await profile(["list", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ current: "team", profiles: [{ key: null }, { key: `${prefix}…` }] });
  expect(`${added.out}${out}${json.out}`).not.toContain(key.slice(prefix.length));
  expect(readFileSync(join(home, ".recollect", "profiles.json"), "utf8")).toContain(key);
  expect((await profile(["remove", "team"])).out).toContain("the database of this machine again");
  expect(openProfiles({ HOME: home }).read()).toEqual({ profiles: [{ name: "lab", url: "http://127.0.0.1:7420" }] });
  await profile(["use", "lab"]);
  expect((await profile(["use", "embedded", "--json"])).out).toBe('{"current":"embedded"}\n');
  expect(openProfiles({ HOME: home }).read().current).toBeUndefined();
});

test("a server that is named anew does not get the old one's key", async () => {
  await profile(["add", "team", ...URL_OPTION, "--key-stdin"], { readInput: async () => key });
  expect((await profile(["add", "team", "--url", "http://other.example"])).out).toContain("Changed team");
  expect(openProfiles({ HOME: home }).read().profiles).toEqual([{ name: "team", url: "http://other.example" }]);
});

test("at a terminal the key is asked for, unseen", async () => {
  const asked: unknown[] = [];
  const ask: CliContext["ask"] = async (...question) => {
    asked.push(question);
    return key;
  };
  expect((await profile(["add", "team", ...URL_OPTION, "--key-stdin"], { ask })).code).toBe(0);
  expect(asked).toEqual([["API key: ", { hidden: true }]]);
});

test.each([
  [["add", "embedded", ...URL_OPTION], 2],
  [["add", "-x", ...URL_OPTION], 2],
  [["add", "team"], 2],
  [["add", "team", "--url", "http://user:secret@memory.example"], 2],
  [["use", "nowhere"], 1],
  [["remove", "nowhere"], 1],
])("%j is refused with exit code %i", async (argv, code) => {
  const ran = await profile(argv);
  expect(ran).toMatchObject({ code, out: "" });
  expect(ran.err).not.toBe("");
});

test("what is no key is refused, and not repeated", async () => {
  for (const text of ["", "two secret\nlines", "schlüssel-secret"]) {
    const ran = await profile(["add", "team", ...URL_OPTION, "--key-stdin"], { readInput: async () => text });
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).not.toContain("secret");
  }
});
