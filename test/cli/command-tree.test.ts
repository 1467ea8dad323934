import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../../src/cli/build-program.ts";
import { pathOf, treeOf } from "../../src/cli/shell/attach-help.ts";
import { captureOutput, cliContext, runCaptured } from "../support/cli-harness.ts";

const context = cliContext({ stdout: captureOutput(), stderr: captureOutput() });
const program = buildProgram(context, async () => undefined);
const commands = treeOf(program).slice(1);
const helpOf = async (command: Command) => (await runCaptured([...pathOf(command).split(" "), "--help"], {})).out;

/** Returns the end of a command's help: the examples and the next step. */
async function guideOf(command: Command): Promise<{ examples: string[]; next: string }> {
  const [, lines = "", next = ""] = /\nExamples?:\n((?: {2}.*\n)+)\nNext: (.+)\n$/.exec(await helpOf(command)) ?? [];
  return { examples: lines.split("\n").filter((line) => line !== ""), next };
}

/** Commands whose standard output is not an answer. */
const NO_JSON: Record<string, string> = {
  migrate: "its log says what it did",
  mcp: "standard output is the protocol's",
  start: "a tour, shown as text",
  completion: "prints a script",
  help: "prints a text for people",
};

test("every command has a summary, an example that calls it, and where to go next", async () => {
  expect(commands.length).toBeGreaterThan(45);
  for (const command of commands) {
    const path = pathOf(command);
    expect(command.description(), path).not.toBe("");
    const { examples, next } = await guideOf(command);
    const callsIt = new RegExp(`\\brecollect ${path}\\b`);
    expect(
      examples.some((line) => callsIt.test(line)),
      path,
    ).toBe(true);
    expect(next, path).not.toBe("");
  }
});

test("every option of an example exists", async () => {
  const paths = new Map(commands.map((command) => [pathOf(command), command]));
  for (const command of commands) {
    for (const line of (await guideOf(command)).examples) {
      const [, words = ""] = /recollect ([^|]*)/.exec(line.replace(/"[^"]*"|'[^']*'/g, "x")) ?? [];
      const [first = "", second = ""] = words.split(" ");
      const called = paths.get(`${first} ${second}`) ?? paths.get(first);
      const options = called?.options.map((option) => option.long) ?? [];
      expect(options, line).toEqual(expect.arrayContaining(words.match(/(?<= )--[a-z-]+/g) ?? []));
    }
  }
});

test("every command that answers has --json", () => {
  const leaves = commands.filter((command) => command.commands.length === 0);
  const lacking = leaves.filter((command) => !command.options.some((option) => option.long === "--json"));
  expect(lacking.map(pathOf).sort()).toEqual(Object.keys(NO_JSON).sort());
});

test("docs/CLI.md names every command", () => {
  const text = readFileSync("docs/CLI.md", "utf8");
  const leaves = commands.filter((command) => command.commands.length === 0).map(pathOf);
  expect(leaves.filter((path) => !text.includes(`\`${path}\``))).toEqual([]);
});

test("every command that talks to the API can be told to which server", () => {
  const has = (command: Command, flag: string) => command.options.some((option) => option.long === flag);
  const talking = commands.filter((command) => has(command, "--url") && pathOf(command) !== "profile add");
  expect(talking.length).toBeGreaterThan(35);
  expect(talking.filter((command) => !has(command, "--profile")).map(pathOf)).toEqual([]);
});

describe("help", () => {
  test("groups the commands", async () => {
    const { out } = await runCaptured(["--help"], {});
    const groups = ["Memory:", "Run it:", "Administration:", "This command:"];
    expect(out.split("\n").filter((line) => groups.includes(line))).toEqual(groups);
    expect(out).toContain("Exit codes: 0 done, 1 failed, 2 wrong usage.");
  });

  test("help explains a command of any depth", async () => {
    for (const path of ["search", "agents", "agents set"]) {
      const words = path.split(" ");
      expect(await runCaptured(["help", ...words], {})).toEqual(await runCaptured([...words, "--help"], {}));
    }
    expect((await runCaptured(["help"], {})).out).toContain("A first minute:");
  });

  test.each([
    [["serch", "x"], "search", "recollect --help"],
    [["help", "serch"], "search", "recollect --help"],
    [["agents", "lst"], "list", "recollect help agents"],
    [["help", "agents", "lst"], "list", "recollect help agents"],
    [["search", "x", "--max-result", "3"], "--max-results", "recollect help search"],
  ])("%j: the nearest is suggested, and where to read", async (argv, nearest, where) => {
    const ran = await runCaptured(argv, {});
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain(`Did you mean ${nearest}?`);
    expect(ran.err).toContain(`See: ${where}\n`);
  });
});
