import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { CommandResult } from "../../../src/features/anthropic-tool/run-anthropic-command.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

/**
 * The file uses one app. Each test gets a separate agent, because most of them begin with an empty
 * memory.
 */
const started = startTestApp({ worker: false });
let app: TestApp;
let agent = "";
let agents = 0;
const run = async (command: Record<string, unknown>) =>
  (await app.call<CommandResult>("POST", `/v1/agents/${agent}/tools/memory`, command)).body;
const create = (path: string, file_text: string) => run({ command: "create", path, file_text });
const view = (path: string, view_range?: number[]) => run({ command: "view", path, ...(view_range && { view_range }) });
const content = async (path: string) =>
  (await app.call<{ content: string }>("GET", `/v1/agents/${agent}/files/${path}`)).body.content;
const failed = (text: string) => ({ content: text, is_error: true });

beforeEach(async () => {
  app = await started;
  agent = `agent-${++agents}`;
  await app.call("POST", "/v1/agents", { id: agent });
});
afterAll(() => app.drop());

describe("view", () => {
  test("an empty memory is there; anything else that is not is said to be not", async () => {
    expect(await view("/memories")).toEqual({
      content:
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories",
    });
    expect(await view("/memories/none.txt")).toEqual(
      failed("The path /memories/none.txt does not exist. Please provide a valid path."),
    );
    agent = "main";
    expect((await view("/memories")).content).toContain("0B\t/memories");
  });

  test("a directory: two levels, sizes, without what is hidden", async () => {
    await create("/memories/notes.txt", "x".repeat(5632));
    await create("/memories/proj/a/deep/x.md", "deep");
    await create("/memories/proj/b.md", "x".repeat(1024));
    await create("/memories/proj.md", "é");
    for (const hidden of [".git/config", "node_modules/x.js", "proj/.env", "proj/node_modules/y.js"])
      await create(`/memories/${hidden}`, "hidden");
    const listing = (path: string, lines: string[]) => ({
      content: [
        `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`,
        ...lines,
      ].join("\n"),
    });
    const lines = [
      "6.5K\t/memories",
      "5.5K\t/memories/notes.txt",
      "1.0K\t/memories/proj/",
      "4B\t/memories/proj/a/",
      "1K\t/memories/proj/b.md",
      "2B\t/memories/proj.md",
    ];
    expect(await view("/memories")).toEqual(listing("/memories", lines));
    expect(await view("/memories/proj")).toEqual(
      listing("/memories/proj", [
        "1.0K\t/memories/proj",
        "4B\t/memories/proj/a/",
        "4B\t/memories/proj/a/deep/",
        "1K\t/memories/proj/b.md",
      ]),
    );
    expect(await view("/memories/.git")).toEqual(
      listing("/memories/.git", ["6B\t/memories/.git", "6B\t/memories/.git/config"]),
    );
  });

  test("a file: line numbers of six characters and a tab, whole or in part", async () => {
    await create("/memories/notes.txt", `Hello World\nThis is line two\n${"\n".repeat(7)}Line ten\n`);
    expect(await view("/memories/notes.txt", [1, 2])).toEqual({
      content:
        "Here's the content of /memories/notes.txt with line numbers:\n     1\tHello World\n     2\tThis is line two",
    });
    expect((await view("/memories/notes.txt")).content.split("\n").at(-1)).toBe("    10\tLine ten");
    expect((await view("/memories/notes.txt", [10, -1])).content).toMatch(/:\n {4}10\tLine ten$/);
    expect((await view("/memories/notes.txt", [0, 1])).content).toMatch(/:\n {5}1\tHello World$/);
    const asTexts = { command: "view", path: "/memories/notes.txt", view_range: ["10", "-1"] };
    expect((await run(asTexts)).content).toMatch(/:\n {4}10\tLine ten$/);
    expect((await view("/memories/notes.txt", [20, 30])).content).toMatch(/with line numbers:\n$/);
  });

  test("a long file is shown in part, with where to go on; one of a million lines not at all", async () => {
    await app.put("long.txt", Array.from({ length: 3000 }, () => "x".repeat(99)).join("\n"), agent);
    const { content: text } = await view("/memories/long.txt");
    expect(text.length).toBeLessThan(101_000);
    const [, next] = /\(The file goes on; use view_range \[(\d+), -1\] to read further\.\)$/.exec(text) ?? [];
    expect((await view("/memories/long.txt", [Number(next), -1])).content).toContain(`\n${next?.padStart(6)}\tx`);
    await app.put("lines.txt", "\n".repeat(1_000_001), agent);
    expect(await view("/memories/lines.txt")).toEqual(
      failed("File /memories/lines.txt exceeds maximum line limit of 999,999 lines."),
    );
  });
});

describe("create", () => {
  test("makes a file that is found by a search, and overwrites none", async () => {
    expect(await create("/memories/a/notes.txt", "A zebra")).toEqual({
      content: "File created successfully at: /memories/a/notes.txt",
    });
    expect((await app.search("zebra", {}, agent)).results[0]?.path).toBe("a/notes.txt");
    for (const path of ["/memories/a/notes.txt", "/memories/a", "/memories"])
      expect(await create(path, "A zebra")).toEqual(failed(`Error: File ${path} already exists`));
    expect(await content("a/notes.txt")).toBe("A zebra");
  });

  test("of several that create one file one does, whether they write the same or not", async () => {
    for (const text of [() => "same", (index: number) => `text ${index}`]) {
      const path = `/memories/${text(0).length}.txt`;
      const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => create(path, text(index))));
      expect(answers.filter((answer) => "is_error" in answer)).toEqual(
        Array(5).fill(failed(`Error: File ${path} already exists`)),
      );
    }
  });
});

describe("str_replace", () => {
  const replace = (old_str: string, new_str: string, path = "/memories/a.txt") =>
    run({ command: "str_replace", path, old_str, new_str });

  test("replaces what occurs once, to the letter, and shows the lines around it", async () => {
    await create("/memories/a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
    expect(await replace("four", "$& 4\nvier")).toEqual({
      content:
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     2\ttwo\n     3\tthree\n     4\t$& 4\n     5\tvier\n     6\tfive",
    });
    expect(await content("a.txt")).toBe("one\ntwo\nthree\n$& 4\nvier\nfive\nsix\n");
    expect(await replace("one\ntwo", "1")).toMatchObject({
      content: expect.stringContaining("     1\t1\n     2\tthree"),
    });
  });

  test("refuses what does not occur, occurs twice, or is in no file", async () => {
    await create("/memories/a.txt", "aaa\nb\nc b b");
    await create("/memories/d/x.txt", "b");
    for (const absent of ["z", "B", ""])
      expect(await replace(absent, "x")).toEqual(
        failed(`No replacement was performed, old_str \`${absent}\` did not appear verbatim in /memories/a.txt.`),
      );
    const multiple = (text: string, lines: string) =>
      failed(
        `No replacement was performed. Multiple occurrences of old_str \`${text}\` in lines: ${lines}. Please ensure it is unique`,
      );
    expect(await replace("b", "x")).toEqual(multiple("b", "2, 3"));
    expect(await replace("aa", "x")).toEqual(multiple("aa", "1"));
    for (const path of ["/memories/none.txt", "/memories/d", "/memories"])
      expect(await replace("b", "x", path)).toEqual(
        failed(`Error: The path ${path} does not exist. Please provide a valid path.`),
      );
    expect(await content("a.txt")).toBe("aaa\nb\nc b b");
  });

  test("of edits that meet none is lost", async () => {
    const names = ["a", "b", "c", "d"];
    await create("/memories/a.txt", names.map((name) => `<${name}>`).join("\n"));
    const answers = await Promise.all(names.map((name) => replace(`<${name}>`, name.toUpperCase())));
    expect(answers.filter((answer) => "is_error" in answer)).toEqual([]);
    expect(await content("a.txt")).toBe("A\nB\nC\nD");
  });
});

describe("insert", () => {
  const insert = (insert_line: number, insert_text: string, path = "/memories/todo.txt") =>
    run({ command: "insert", path, insert_line, insert_text });

  test.each([
    ["a\nb\n", 2, "- c\n", "a\nb\n- c\n"],
    ["a\nb\n", 0, "top", "top\na\nb\n"],
    ["a\nb", 1, "x\ny\n", "a\nx\ny\nb"],
    ["a\nb", 2, "c", "a\nb\nc"],
    ["", 0, "first\n", "first\n"],
  ])("%j, behind line %i %j: %j", async (before, line, text, after) => {
    await create("/memories/todo.txt", before);
    expect(await insert(line, text)).toEqual({ content: "The file /memories/todo.txt has been edited." });
    expect(await content("todo.txt")).toBe(after);
  });

  test("refuses lines and files that are not there", async () => {
    await create("/memories/todo.txt", "a\nb\n");
    for (const line of [-1, 3])
      expect(await insert(line, "x")).toEqual(
        failed(
          `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, 2]`,
        ),
      );
    expect(await insert(0, "x", "/memories/none.txt")).toEqual(
      failed("Error: The path /memories/none.txt does not exist"),
    );
    expect(await content("todo.txt")).toBe("a\nb\n");
  });
});

describe("delete and rename", () => {
  const remove = (path: string) => run({ command: "delete", path });
  const rename = (old_path: string, new_path: string) => run({ command: "rename", old_path, new_path });
  const paths = async () =>
    (await app.call<{ files: { path: string }[] }>("GET", `/v1/agents/${agent}/files`)).body.files.map(
      ({ path }) => path,
    );

  test("delete takes a file, or a directory with all that is in it", async () => {
    for (const path of ["a.txt", "d/x.txt", "d/e/.y", "d-e.txt", "d.txt"]) await create(`/memories/${path}`, "text");
    expect(await remove("/memories/a.txt")).toEqual({ content: "Successfully deleted /memories/a.txt" });
    expect(await remove("/memories/d")).toEqual({ content: "Successfully deleted /memories/d" });
    expect(await paths()).toEqual(["d-e.txt", "d.txt"]);
    expect(await remove("/memories/d")).toEqual(failed("Error: The path /memories/d does not exist"));
    expect(await remove("/memories/")).toEqual(failed("Error: Cannot delete the /memories directory itself"));
  });

  test("rename moves a file or a directory, onto nothing that is there", async () => {
    for (const path of ["draft.txt", "d/x.txt", "d/e/y.txt", "taken.txt"]) await create(`/memories/${path}`, path);
    expect(await rename("/memories/draft.txt", "/memories/new/final.txt")).toEqual({
      content: "Successfully renamed /memories/draft.txt to /memories/new/final.txt",
    });
    expect(await rename("/memories/d", "/memories/moved")).toEqual({
      content: "Successfully renamed /memories/d to /memories/moved",
    });
    expect(await paths()).toEqual(["moved/e/y.txt", "moved/x.txt", "new/final.txt", "taken.txt"]);
    expect(await content("moved/e/y.txt")).toBe("d/e/y.txt");
    for (const taken of ["/memories/taken.txt", "/memories/moved", "/memories"])
      expect(await rename("/memories/new/final.txt", taken)).toEqual(
        failed(`Error: The destination ${taken} already exists`),
      );
    expect(await rename("/memories/none", "/memories/x")).toEqual(
      failed("Error: The path /memories/none does not exist"),
    );
    expect(await rename("/memories", "/memories/x")).toEqual(
      failed("Error: Cannot rename the /memories directory itself"),
    );
    expect((await paths()).length).toBe(4);
  });

  test("a directory of more files than one request may write is not renamed in part", async () => {
    const put = Array.from({ length: 100 }, (_, index) => ({ path: `many/${index}.txt`, content: "x" }));
    await app.call("POST", `/v1/agents/${agent}/files`, { put });
    await create("/memories/many/more.txt", "x");
    expect(await rename("/memories/many", "/memories/moved")).toMatchObject({ is_error: true });
    await remove("/memories/many/more.txt");
    expect(await rename("/memories/many", "/memories/moved")).not.toHaveProperty("is_error");
  });
});
