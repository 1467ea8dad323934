import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandResult } from "../../../src/features/anthropic-tool/run-anthropic-command.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../../support/test-app.ts";

describe("what Anthropic's memory tool refuses", () => {
  let app: TestApp;
  const send = (command: unknown, { key, agent = "main" }: { key?: string; agent?: string } = {}) =>
    app.call<CommandResult & ErrorBody>("POST", `/v1/agents/${agent}/tools/memory`, command, key);
  const paths = async () =>
    (await app.call<{ files: { path: string }[] }>("GET", "/v1/agents/main/files")).body.files.map(({ path }) => path);
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.txt", "Our text");
    await app.put("a.txt", "Another's text", "other");
  });
  afterAll(() => app.drop());

  const escapes = [
    "/memories/../a.txt",
    "/memories/../../etc/passwd",
    "/memories/x/../a.txt",
    "/memories/./a.txt",
    "/memories/..",
    "/memories/%2e%2e%2fa.txt",
    "/memories/%2E%2E/a.txt",
    "/memories/x%2Fa.txt",
    "/memories/%252e%252e%252fa.txt",
    "/memories/..%5ca.txt",
    "/memories/x\\..\\a.txt",
  ];
  const outside = ["/etc/passwd", "a.txt", "", "/", "/memoriesa.txt", "/Memories/a.txt", "memories/a.txt"];
  const commands = (path: string) => [
    { command: "view", path },
    { command: "create", path, file_text: "x" },
    { command: "str_replace", path, old_str: "Our", new_str: "Your" },
    { command: "insert", path, insert_line: 0, insert_text: "x" },
    { command: "delete", path },
    { command: "rename", old_path: path, new_path: "/memories/taken.txt" },
    { command: "rename", old_path: "/memories/a.txt", new_path: path },
  ];

  test.each(escapes)("%j leads out, whatever the command", async (path) => {
    const texts = (await Promise.all(commands(path).map((command) => send(command)))).map(({ body }) => body);
    expect(texts).toEqual(
      Array(7).fill({ content: `Error: Path ${path} would escape /memories directory`, is_error: true }),
    );
    expect(await paths()).toEqual(["a.txt"]);
  });

  test.each(outside)("%j is not below /memories", async (path) => {
    const texts = (await Promise.all(commands(path).map((command) => send(command)))).map(({ body }) => body);
    expect(texts).toEqual(
      Array(7).fill({ content: `Error: Path must start with /memories, got: ${path}`, is_error: true }),
    );
    expect(await paths()).toEqual(["a.txt"]);
  });

  test("names that no file has, and those of sessions", async () => {
    for (const path of [
      "/memories//a.txt",
      "/memories/a\nb",
      `/memories/${"x".repeat(300)}`,
      "/memories/sessions/slack:C1",
    ]) {
      const { status, body } = await send({ command: "create", path, file_text: "x" });
      expect([path, status, body.is_error, body.content.slice(0, 7)]).toEqual([path, 200, true, "Error: "]);
    }
    expect(await paths()).toEqual(["a.txt"]);
  });

  test("a command that is not as it should be is answered to the model", async () => {
    for (const command of [
      { command: "format" },
      { command: "view" },
      { command: "view", path: "/memories/a.txt", view_range: ["first"] },
      { command: "insert", path: "/memories/a.txt", insert_line: 1.5, insert_text: "x" },
      { command: "create", path: `/memories/${"x".repeat(3000)}`, file_text: "x" },
    ]) {
      const { status, body } = await send(command);
      expect([status, body]).toEqual([200, { content: expect.stringMatching(/^Error: The request/), is_error: true }]);
    }
    expect((await send({})).status).toBe(400);
    expect((await send([])).status).toBe(400);
  });

  test("a full quota is told to the model and changes nothing", async () => {
    await app.call("POST", "/v1/agents", { id: "small", limits: { bytes: 10 } });
    const { status, body } = await send(
      { command: "create", path: "/memories/a.txt", file_text: "x".repeat(11) },
      { agent: "small" },
    );
    expect([status, body]).toEqual([200, { content: expect.stringMatching(/^Error: .*bytes/), is_error: true }]);
    expect((await send({ command: "view", path: "/memories" }, { agent: "small" })).body.content).toMatch(/\n0B\t/);
  });

  test("contents are shown to keys that may read; a writer's key may write blindly", async () => {
    const writer = await app.key(["agent:write"]);
    for (const command of commands("/memories/a.txt").filter(({ command }) =>
      ["view", "str_replace", "insert"].includes(command),
    )) {
      const { status, body } = await send(command, { key: writer });
      expect([command.command, status, body.error?.code]).toEqual([command.command, 403, "forbidden"]);
    }
    expect((await send({ command: "create", path: "/memories/w.txt", file_text: "x" }, { key: writer })).status).toBe(
      200,
    );
    expect((await send({ command: "delete", path: "/memories/w.txt" }, { key: writer })).status).toBe(200);
    const both = await app.key(["agent:write", "agent:read"], { agentId: "main" });
    expect((await send({ command: "view", path: "/memories/a.txt" }, { key: both })).body.content).toContain(
      "Our text",
    );
    expect((await send({ command: "view", path: "/memories/a.txt" }, { key: both, agent: "other" })).status).toBe(404);
  });
});
