import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needsPackagesOf } from "../../support/needs.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const FOLDER = "test/features/anthropic-tool/sdk";
const MODULE = resolve(FOLDER, "node_modules/@anthropic-ai/sdk/tools/memory/node.mjs");

type Command = { command: string } & Record<string, unknown>;
type OwnTool = Record<string, (command: Command) => Promise<string>>;

const view = (path: string, view_range?: number[]): Command => ({
  command: "view",
  path,
  ...(view_range && { view_range }),
});
const create = (path: string, file_text: string): Command => ({ command: "create", path, file_text });
const replace = (path: string, old_str: string, new_str: string): Command => ({
  command: "str_replace",
  path,
  old_str,
  new_str,
});
const insert = (path: string, insert_line: number, insert_text: string): Command => ({
  command: "insert",
  path,
  insert_line,
  insert_text,
});
const remove = (path: string): Command => ({ command: "delete", path });
const rename = (old_path: string, new_path: string): Command => ({ command: "rename", old_path, new_path });

const LINES = "one\ntwo\nthree\ntwo more";

/** Commands whose answers are the same text, word by word, apart from `Error: ` in front. */
const SAME: readonly Command[] = [
  view("/memories/none.md"),
  create("/memories/a.md", LINES),
  create("/memories/a.md", "again"),
  create("/memories/dir/b.md", "b"),
  view("/memories/a.md"),
  view("/memories/a.md", [2, 3]),
  view("/memories/a.md", [2, -1]),
  view("/memories/a.md", [1]),
  replace("/memories/a.md", "three", "3"),
  replace("/memories/a.md", "two", "2"),
  replace("/memories/a.md", "absent", "x"),
  replace("/memories/none.md", "a", "b"),
  insert("/memories/a.md", 1, "new\n"),
  insert("/memories/a.md", 99, "x"),
  insert("/memories/a.md", -1, "x"),
  view("/memories/a.md"),
  rename("/memories/a.md", "/memories/dir/b.md"),
  rename("/memories/none.md", "/memories/c.md"),
  rename("/memories/a.md", "/memories/c.md"),
  rename("/memories", "/memories/x"),
  rename("/memories/dir", "/memories/other"),
  view("/memories/other/b.md"),
  remove("/memories"),
  remove("/memories/none.md"),
  remove("/memories/other"),
  view("/memories/other/b.md"),
  view("/etc/passwd"),
  remove("/memories/c.md"),
];

/** Commands that both refuse. The SDK's texts are those of its file system. */
const REFUSED: readonly Command[] = [
  create("/memories/file.md/below.md", "x"),
  rename("/memories/folder", "/memories/folder/inside"),
  rename("/memories/folder", "/memories/file.md/x"),
  create("/memories/folder", "x"),
  remove("/memories/file.md/below.md"),
  view("/memories/file.md/below.md"),
];

describe("Anthropic's memory tool, beside the SDK's own", needsPackagesOf(FOLDER), () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-memory-tool-"));
  let app: TestApp;
  let own: OwnTool;
  const ours = async (command: Command) => {
    const { status, body } = await app.call<{ content: string; is_error?: true }>(
      ...(["POST", "/v1/agents/compared/tools/memory", command] as const),
    );
    expect([command, status]).toEqual([command, 200]);
    return { text: body.content, failed: body.is_error === true };
  };
  const theirs = async (command: Command) =>
    Promise.resolve(own[command.command]?.(command)).then(
      (text) => ({ text: String(text), failed: false }),
      (error: Error) => ({ text: error.message, failed: true }),
    );
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    const { BetaLocalFilesystemMemoryTool } = await import(pathToFileURL(MODULE).href);
    own = (await BetaLocalFilesystemMemoryTool.init(folder)) as OwnTool;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await app.drop();
  });

  test("answers with the same texts, and the first write creates the agent", async () => {
    const plain = ({ text, failed }: { text: string; failed: boolean }) => ({
      text: text.replace(/^Error: /, ""),
      failed,
    });
    for (const command of SAME)
      expect([command, plain(await ours(command))]).toEqual([command, plain(await theirs(command))]);
  });

  test("refuses the same, and keeps what there was", async () => {
    for (const command of [create("/memories/file.md", "file"), create("/memories/folder/c.md", "c")])
      for (const run of [ours, theirs]) expect((await run(command)).failed).toBe(false);
    for (const command of REFUSED)
      expect([command, (await ours(command)).failed, (await theirs(command)).failed]).toEqual([command, true, true]);
    for (const path of ["/memories/file.md", "/memories/folder/c.md"])
      expect(await ours(view(path))).toEqual(await theirs(view(path)));
  });
});
