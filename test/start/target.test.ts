import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { databaseNotUsed, targetOf } from "../../src/wiring/command-target.ts";
import { type FakeApi, startFakeApi } from "../support/fake-api.ts";
import { runCommand } from "../support/process.ts";

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

test.each([
  ["a server's variable", {}, { RECOLLECT_URL: "http://u.example" }, "http://u.example (RECOLLECT_URL)"],
  ["a profile's variable", {}, { RECOLLECT_PROFILE: "team" }, "team (http://team.example) (RECOLLECT_PROFILE)"],
  ["an option", { url: "http://o.example" }, { RECOLLECT_URL: "http://u.example" }, undefined],
  ["an option with a profile", { profile: "team" }, { RECOLLECT_URL: "http://u.example" }, undefined],
])("the server of %s and DATABASE_URL: the user is told, unless an option chose", (_what, options, env, named) => {
  const config = readConfig({ HOME: "/nonexistent", DATABASE_URL: "postgres://h/d", ...(env as object) });
  const found = targetOf(options, config, () => PROFILES);
  if (!found) throw new Error("There is no server.");
  const sentence = named && `Uses the server at ${named}; DATABASE_URL is not used.`;
  expect(databaseNotUsed(found, config)).toBe(sentence);
  expect(databaseNotUsed(found, { databaseUrl: undefined })).toBeUndefined();
});

describe("a command with RECOLLECT_URL and DATABASE_URL", () => {
  let api: FakeApi;
  beforeAll(async () => {
    api = await startFakeApi();
  });
  afterAll(() => api.close());

  const run = async (...args: string[]) => {
    const command = runCommand(args, { RECOLLECT_URL: api.url, DATABASE_URL: "postgres://127.0.0.1:1/d" });
    const code = await command.ended;
    return { code, ...command.output() };
  };

  test("says on standard error which of the two it uses; an option has decided", async () => {
    const line = `Uses the server at ${api.url} (RECOLLECT_URL); DATABASE_URL is not used.\n`;
    const { stdout, stderr } = await run("agents", "list", "--json");
    expect(stderr.slice(0, line.length)).toBe(line);
    expect(stdout).toBe("");
    expect((await run("agents", "list", "--url", api.url)).stderr).not.toContain("DATABASE_URL");
  });

  test.each([
    ["keys revoke rcl_000000000000"],
    ["agents erase support --yes"],
    ["tenants erase acme --yes"],
    ["sessions delete a --yes"],
    ["facts forget 1 --yes"],
    ["facts forget-source a.md --yes"],
  ])("is refused if it cannot be undone: %s", async (line) => {
    const { code, stderr } = await run(...line.split(" "));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `RECOLLECT_URL and DATABASE_URL are both set, and this command cannot be undone. Add --url ${api.url} for the server or --profile embedded for the database, or unset one of the two. (config_invalid)\n`,
    });
  });
});
