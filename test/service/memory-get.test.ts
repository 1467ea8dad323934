import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

interface Got {
  text: string;
  path: string;
  from?: number;
  lines?: number;
  truncated?: true;
  nextFrom?: number;
  nextChar?: number;
  status?: string;
}

describe("memory_get", () => {
  let app: TestApp;
  const get = async (input: object) => (await app.call<Got>("POST", "/v1/agents/main/tools/memory_get", input)).body;
  const numbered = Array.from({ length: 300 }, (_, i) => `line ${i + 1}`).join("\n");
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("numbered.md", `${numbered}\n`);
    await app.put("wide.md", `${"x".repeat(5000)}\n${"y".repeat(5000)}\n${"z".repeat(5000)}`);
    await app.put("one.md", "é".repeat(20_000));
    await app.put("crlf.md", "\ufeffa\r\nb\r\nc\r\n");
  });
  afterAll(() => app.drop());

  test("returns at most 120 lines and says where to go on", async () => {
    const first = await get({ path: "numbered.md" });
    expect(first).toMatchObject({ path: "numbered.md", from: 1, lines: 120, truncated: true, nextFrom: 121 });
    expect(first.text.split("\n").at(-1)).toBe("line 120");
  });

  test("pages through the whole file", async () => {
    let text = "";
    for (let from: number | undefined = 1; from !== undefined; ) {
      const page = await get({ path: "numbered.md", from });
      text += `${page.text}\n`;
      from = page.nextFrom;
    }
    expect(text).toBe(`${numbered}\n`);
  });

  test("returns the asked lines only, and nothing past the end", async () => {
    expect(await get({ path: "numbered.md", from: 299, lines: 2 })).toEqual({
      path: "numbered.md",
      from: 299,
      lines: 2,
      text: "line 299\nline 300",
    });
    expect(await get({ path: "numbered.md", from: 301 })).toEqual({
      path: "numbered.md",
      from: 301,
      lines: 0,
      text: "",
      note: "The text ends before line 301.",
    });
    expect(await get({ path: "numbered.md", from: 300 })).not.toHaveProperty("note");
  });

  test("returns at most 12,000 characters", async () => {
    const wide = await get({ path: "wide.md" });
    expect(wide).toMatchObject({ lines: 2, truncated: true, nextFrom: 3 });
    const one = await get({ path: "one.md" });
    expect(one).toMatchObject({ lines: 1, truncated: true });
    expect(one.text).toHaveLength(12_000);
  });

  test("a line that is too long for an answer is read on from a character of it", async () => {
    const long = Array.from({ length: 4000 }, (_, n) => `wort${n}😀`).join(" ");
    const session = "/v1/agents/main/sessions/chat:long/messages";
    await app.put("long.md", `# Title\n${long}\nlast`);
    await app.call("POST", session, { messages: [{ role: "user", content: long }] });
    for (const [path, line, first] of [
      ["long.md", 2, long],
      ["sessions/chat:long", 1, `user: ${long}`],
    ] as const) {
      const parts: string[] = [];
      let answer = await get({ path, from: line });
      for (; answer.nextChar !== undefined; answer = await get({ path, from: line, fromChar: answer.nextChar })) {
        expect(answer).toMatchObject({ from: line, lines: 1, truncated: true });
        expect(answer.text.isWellFormed()).toBe(true);
        parts.push(answer.text);
      }
      expect(parts.length).toBeGreaterThan(2);
      expect(parts.join("") + answer.text).toBe(path === "long.md" ? `${first}\nlast` : first);
      expect(answer).toMatchObject({ from: line, lines: path === "long.md" ? 2 : 1 });
      expect(answer.truncated).toBeUndefined();
    }
  });

  test("a character inside a pair, behind the line or in an empty line is no error", async () => {
    await app.put("pairs.md", "😀😀\n\nthree");
    expect(await get({ path: "pairs.md", from: 1, fromChar: 2, lines: 1 })).toMatchObject({ text: "😀😀", lines: 1 });
    expect(await get({ path: "pairs.md", from: 1, fromChar: 3, lines: 1 })).toMatchObject({ text: "😀", lines: 1 });
    expect(await get({ path: "pairs.md", from: 1, fromChar: 99 })).toMatchObject({ text: "\n\nthree", lines: 3 });
    expect(await get({ path: "pairs.md", from: 2, fromChar: 2 })).toMatchObject({ text: "\nthree", lines: 2 });
    expect(await get({ path: "pairs.md", from: 9, fromChar: 2 })).toMatchObject({ text: "", lines: 0 });
    expect(await get({ path: "pairs.md", fromChar: 3, lines: 1 })).toMatchObject({ text: "😀", from: 1 });
  });

  test("counts lines as the chunker does: no BOM, CRLF is one line end", async () => {
    expect(await get({ path: "crlf.md", from: 1, lines: 2 })).toMatchObject({
      text: "a\nb",
      truncated: true,
      nextFrom: 3,
    });
  });

  test("a path that does not exist is a normal answer", async () => {
    expect(await get({ path: "nothing.md" })).toEqual({ status: "not_found", text: "", path: "nothing.md" });
  });

  test("what a search cites is what it returns", async () => {
    const { results } = await app.search("line 250");
    const [hit] = results;
    const cited = await get({
      path: hit?.path,
      from: hit?.startLine,
      lines: (hit?.endLine ?? 0) - (hit?.startLine ?? 0) + 1,
    });
    expect(cited.text).toContain("line 250");
    expect(hit?.citation).toBe(`numbered.md#L${hit?.startLine}-L${hit?.endLine}`);
  });
});
