import { expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { targetOf } from "../../src/wiring/command-target.ts";

const PROFILES = {
  profiles: [
    { name: "lab", url: "http://lab.example" },
    { name: "team", url: "http://team.example", key: "team-key" },
  ],
};
const ENV_KEY = { RECOLLECT_API_KEY: "env-key" };

/**
 * Returns the URL and key that a command uses, by its options, the environment and the profile in
 * use; undefined means this machine.
 */
function target(options: { url?: string; profile?: string }, env: Record<string, string>, current?: string) {
  const profiles = { ...PROFILES, ...(current === undefined ? {} : { current }) };
  const found = targetOf(options, readConfig({ HOME: "/nonexistent", ...env }), () => profiles);
  return found && [found.url, found.key];
}

test.each([
  ["nothing said", {}, {}, undefined, undefined],
  ["the profile in use", {}, {}, "team", ["http://team.example", "team-key"]],
  ["its key gives way to the environment's", {}, ENV_KEY, "team", ["http://team.example", "env-key"]],
  ["a named database is meant", {}, { DATABASE_URL: "postgres://h/d" }, "team", undefined],
  ["a named folder is meant", {}, { RECOLLECT_DATA_DIR: "x" }, "team", undefined],
  ["a variable before the one in use", {}, { RECOLLECT_PROFILE: "lab" }, "team", ["http://lab.example", undefined]],
  ["embedded before the one in use", {}, { RECOLLECT_PROFILE: "embedded" }, "team", undefined],
  [
    "a URL before a profile's variable",
    {},
    { RECOLLECT_URL: "http://u.example", RECOLLECT_PROFILE: "team" },
    "lab",
    ["http://u.example", undefined],
  ],
  [
    "an option before all",
    { url: "http://o.example" },
    { RECOLLECT_URL: "http://u.example", ...ENV_KEY },
    "team",
    ["http://o.example", "env-key"],
  ],
  [
    "a profile's own key when it is named",
    { profile: "team" },
    { RECOLLECT_URL: "http://u.example", ...ENV_KEY },
    "lab",
    ["http://team.example", "team-key"],
  ],
  ["the environment's for one without", { profile: "lab" }, ENV_KEY, undefined, ["http://lab.example", "env-key"]],
  ["embedded by option", { profile: "embedded" }, { RECOLLECT_URL: "http://u.example" }, "team", undefined],
])("%s", (_what, options, env, current, expected) => {
  expect(target(options, env as Record<string, string>, current)).toEqual(expected);
});

test("a profile that is not there is named, with those that are", () => {
  expect(() => target({ profile: "teem" }, {})).toThrow(/no profile teem\. There are lab, team;/);
});
