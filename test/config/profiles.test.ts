import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openProfiles } from "../../src/config/profiles.ts";
import { wantsColour } from "../../src/config/wants-colour.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "recollect-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const TEAM = { name: "team", url: "https://memory.example", key: "rcl_secret" };

test("profiles are kept for the user's eyes only, also where the file was open to all", () => {
  const store = openProfiles({ HOME: home });
  expect(store.read()).toEqual({ profiles: [] });
  store.write({ current: "team", profiles: [TEAM] });
  expect(store.read()).toEqual({ current: "team", profiles: [TEAM] });
  chmodSync(store.file, 0o644);
  store.write({ profiles: [TEAM] });
  expect(statSync(store.file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(store.file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(store.file))).toEqual(["profiles.json"]);
});

test.each(["{", "[]", '{"profiles": [{"name": "a", "url": "not a URL", "key": "rcl_secret"}]}'])(
  "a file that is none, %s, is refused without a word of what is in it",
  (text) => {
    const store = openProfiles({ HOME: home });
    mkdirSync(dirname(store.file));
    writeFileSync(store.file, text);
    expect(() => store.read()).toThrow(expect.objectContaining({ code: "config_invalid" }));
    expect(() => store.read()).not.toThrow(/secret/);
  },
);

test("a folder that cannot be made is named", () => {
  writeFileSync(join(home, ".recollect"), "a file");
  const store = openProfiles({ HOME: home });
  expect(store.read()).toEqual({ profiles: [] });
  expect(() => store.write({ profiles: [] })).toThrow(/profiles\.json cannot be written/);
});

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [true, { TERM: "dumb" }, false],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "", NO_COLOR: "1" }, true],
  [true, { FORCE_COLOR: "0" }, false],
])("terminal %s and %j: colour %s", (isTTY, env, expected) => {
  expect(wantsColour({ isTTY }, env)).toBe(expected);
});
