import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../../src/cli/build-program.ts";
import { pathOf, treeOf } from "../../src/cli/shell/attach-help.ts";
import type { ConnectOptions } from "../../src/cli/shell/context.ts";
import { commandsOfFeatures } from "../../src/start/enabled-features.ts";
import { captureOutput, cliContext, runCaptured } from "../support/cli-harness.ts";

/** The commands that make a database where there is none: they store something, or serve a memory. */
const MAKING = [
  "agents create",
  "agents import",
  "facts add",
  "import",
  "ingest",
  "keys create",
  "mcp",
  "sessions add",
  "sessions watch",
  "sync",
  "tenants create",
  "watch",
];

/** The arguments of commands that take more than any word. */
const ARGUMENTS: Record<string, string[]> = {
  "agents branch": ["main", "--as", "copy"],
  "agents import": ["a.md"],
  "agents merge": ["copy", "--into", "main"],
  "agents rollback": ["main", "before"],
  "agents snapshot": ["main", "--name", "before"],
  eval: [".", "--agent", "main"],
  "keys create": ["ci", "--scope", "read"],
  import: ["mem0", "a.md"],
  ingest: ["."],
  "sessions add": ["a.md"],
  "sessions watch": ["."],
  sync: ["."],
  "tenants limit": ["agents", "5"],
  watch: ["."],
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-makes-"));
  writeFileSync(join(folder, "a.md"), "A note");
  writeFileSync(join(folder, "corpus.jsonl"), '{"_id": "a", "text": "A note"}\n');
  writeFileSync(join(folder, "queries.jsonl"), '{"_id": "1", "text": "pumps"}\n');
  writeFileSync(join(folder, "qrels.tsv"), "query-id\tcorpus-id\tscore\n1\ta\t1\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const output = { stdout: captureOutput(), stderr: captureOutput() };
const talking = treeOf(buildProgram(cliContext(output), async () => undefined, commandsOfFeatures())).filter(
  // `hook` reads its input before it connects, and never opens a database.
  (command) =>
    command.options.some((option) => option.long === "--url") && !["profile add", "hook"].includes(pathOf(command)),
);

/** Runs a command up to its connection, and returns the options of that connection. */
async function connectionOf(argv: readonly string[]): Promise<ConnectOptions> {
  const asked: ConnectOptions[] = [];
  const connect = async (options: ConnectOptions) => {
    asked.push(options);
    throw new Error("no connection");
  };
  const ran = await runCaptured(argv, { connect, cwd: folder }, commandsOfFeatures());
  expect(asked, ran.err).toHaveLength(1);
  return asked[0] ?? {};
}

const wordsOf = (command: Command) => [
  ...(ARGUMENTS[pathOf(command)] ?? command.registeredArguments.filter((one) => one.required).map(() => "1")),
  ...(command.options.some((option) => option.long === "--yes") ? ["--yes"] : []),
];

test("only commands that store something, or serve a memory, make a database", async () => {
  const making: string[] = [];
  for (const command of talking) {
    const path = pathOf(command);
    if (path === "doctor") continue;
    const { ifMissing } = await connectionOf([...path.split(" "), ...wordsOf(command)]);
    if (ifMissing === "create") making.push(path);
    else expect(ifMissing, path).toBeUndefined();
  }
  expect(talking.length).toBeGreaterThan(45);
  expect(making.sort()).toEqual(MAKING);
});

test.each([
  ["sync", "."],
  ["import", "mem0", "a.md"],
  ["ingest", "."],
])("a dry run of %j leaves nothing behind", async (...argv) => {
  expect((await connectionOf([...argv, "--dry-run"])).ifMissing).toBe("in memory");
});

test.each([[["sync"]], [["ingest"]]])("without a folder there is nothing to store: %j", async (argv) => {
  expect((await connectionOf(argv)).ifMissing).toBeUndefined();
});

test("an evaluation makes agents of its own unless it measures one", async () => {
  expect((await connectionOf(["eval", "."])).ifMissing).toBe("create");
});
