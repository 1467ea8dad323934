import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ProtocolErrorCode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../src/http/listen.ts";
import { answerOf, ERAS, type Era, newClient } from "../support/mcp-client.ts";
import { COMMAND, COMMAND_CACHES } from "../support/process.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/**
 * Starts a process of `recollect mcp` as a desktop client does, and connects the SDK's client to
 * it.
 */
async function start(env: Record<string, string>, { args = [], era = "legacy" }: { args?: string[]; era?: Era } = {}) {
  const { PATH = "", HOME = "" } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, "mcp", ...args],
    stderr: "pipe",
    env: { PATH, HOME, RECOLLECT_PROVIDER: "none", ...COMMAND_CACHES, ...env },
  });
  let stderr = "";
  transport.stderr?.on("data", (part: Buffer) => {
    stderr += part;
  });
  const client = newClient(era);
  await client.connect(transport).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${stderr}`);
  });
  return { client, stderr: () => stderr };
}

test("recollect mcp on an embedded database, with no server", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-mcp-"));
  const { client, stderr } = await start({ RECOLLECT_DATA_DIR: folder });
  expect(client.getInstructions()).toContain("## Memory Recall");
  expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("memory_search");
  const found = await client.callTool({ name: "memory_search", arguments: { query: "anything" } });
  expect(answerOf(found)).toMatchObject({ results: [], mode: "keyword" });
  expect((await client.listResources()).resources).toEqual([]);
  const call = async (name: string, args: Record<string, unknown>) =>
    answerOf(await client.callTool({ name, arguments: args }));
  expect(await call("memory_get", { path: "none.md" })).toMatchObject({ status: "not_found" });
  expect(await call("memory_store", { text: "The office is in Graz." })).toMatchObject({
    facts: [{ status: "stored" }],
  });
  const fact = { text: "The office is in Graz.", id: expect.any(String) };
  expect(await call("memory_recall", { query: "office" })).toMatchObject({ facts: [fact] });
  expect(await call("memory_forget", { query: "office" })).toMatchObject({ facts: [fact], forgotten: [] });
  await client.close();
  expect(stderr()).toBe("");
  // The database was closed properly: another process can open the folder at once.
  const second = await start({ RECOLLECT_DATA_DIR: folder }, { era: ERAS[1] });
  expect((await second.client.listPrompts()).prompts.length).toBe(1);
  await second.client.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("recollect mcp as a part of a pipe", () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-mcp-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  /** Sends lines and the end of the input at once, and returns the answers by their ids. */
  const pipe = async (lines: readonly (string | object)[]) => {
    const { PATH = "", HOME = "" } = process.env;
    const env = { PATH, HOME, RECOLLECT_PROVIDER: "none", ...COMMAND_CACHES, RECOLLECT_DATA_DIR: folder };
    const child = spawn(process.execPath, [COMMAND, "mcp", "--agent", "piped"], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.end(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    const answers = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: unknown; result?: object; error?: { code: number } });
    return { code: code as number, answers: new Map(answers.map((answer) => [answer.id, answer])) };
  };
  const request = (id: number, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });
  const begin = [
    request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "pipe", version: "1" },
    }),
    { jsonrpc: "2.0", method: "notifications/initialized" },
  ];

  test("every request is answered before the end", async () => {
    const store = { name: "memory_store", arguments: { text: "The office is in Graz." } };
    const { code, answers } = await pipe([...begin, request(2, "ping"), request(3, "tools/call", store)]);
    expect(code).toBe(0);
    expect([...answers.keys()]).toEqual([1, 2, 3]);
    expect(JSON.stringify(answers.get(3))).toContain("stored");
  });

  test("null for what a message leaves out, and lines that are no message", async () => {
    const { code, answers } = await pipe([
      ...begin,
      request(2, "tools/list", null),
      request(3, "tools/call", { name: "memory_search", arguments: null, _meta: null }),
      request(4, "resources/list", { cursor: null }),
      "",
      "no JSON",
      { id: 5 },
      [request(6, "ping"), request(7, "ping", null)],
      { id: 8, method: "ping" },
      request(9, "tools/call", { name: "memory_search", arguments: { query: "piano", user: null } }),
      request(10, "tools/call", { name: "memory_recall", arguments: { query: "piano", scope: { user: null } } }),
    ]);
    expect(code).toBe(0);
    expect([...answers.keys()].toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, null].toSorted());
    for (const id of [9, 10]) expect(answers.get(id), String(id)).not.toMatchObject({ result: { isError: true } });
    for (const id of [2, 4, 6, 7, 8]) expect(answers.get(id)).toMatchObject({ result: expect.anything() });
    expect(JSON.stringify(answers.get(3))).toContain("query");
    expect(answers.get(5)?.error?.code).toBe(-32_600);
    expect(answers.get(null)?.error?.code).toBe(-32_700);
  });

  test("an empty list of messages is refused", async () => {
    const { code, answers } = await pipe([...begin, "[]", request(2, "ping")]);
    expect(code).toBe(0);
    expect([...answers.keys()].toSorted()).toEqual([1, 2, null].toSorted());
    expect(answers.get(null)).toMatchObject({ jsonrpc: "2.0", error: { code: -32_600 } });
  });

  test("an empty input", async () => {
    const { PATH = "", HOME = "" } = process.env;
    const env = { PATH, HOME, RECOLLECT_PROVIDER: "none", ...COMMAND_CACHES, RECOLLECT_DATA_DIR: folder };
    const child = spawn(process.execPath, [COMMAND, "mcp"], { env, stdio: ["ignore", "pipe", "inherit"] });
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect([out, code]).toEqual(["", 0]);
  });
});

describe("recollect mcp against a server", () => {
  let app: TestApp;
  let server: Listener;
  let env: Record<string, string>;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("notes/ä.md", "Zebra", "support");
    await app.put("secret.md", "Okapi");
    server = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
    const key = await app.key(["search", "agent:read"], { agentId: "support" });
    env = { RECOLLECT_URL: server.url, RECOLLECT_API_KEY: key };
  });
  afterAll(async () => {
    await server.close();
    await app.drop();
  });

  test.each(ERAS)("has the same tools, files and errors as over HTTP, %j", async (era) => {
    const { client } = await start(env, { args: ["--agent", "support"], era });
    const { tools } = await client.listTools();
    const path = "/v1/agents/support/tools?format=mcp";
    const { body } = await app.call<{ tools: unknown[] }>("GET", path, undefined, env.RECOLLECT_API_KEY);
    expect(tools).toEqual(body.tools);
    const found = await client.callTool({ name: "memory_search", arguments: { query: "zebra" } });
    expect(answerOf(found)).toMatchObject({ results: [{ path: "notes/ä.md" }] });
    const read = await client.callTool({ name: "memory_get", arguments: { path: "notes/ä.md" } });
    expect(answerOf(read)).toMatchObject({ text: "Zebra" });
    expect(await client.callTool({ name: "memory_get", arguments: { path: "../x" } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^The path .* \(invalid_path\)$/) }],
    });
    for (const name of ["nothing", "../files", "memory_search/../../../main/tools/memory_search"])
      await expect(client.callTool({ name, arguments: { query: "okapi" } })).rejects.toMatchObject({
        code: ProtocolErrorCode.InvalidParams,
        message: expect.stringMatching(
          /There is no tool ".*"; the tools are memory_search, memory_get, memory_recall\.$/,
        ),
      });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["recollect://agents/support/files/notes/%C3%A4.md"]);
    expect((await client.readResource({ uri: resources[0]?.uri ?? "" })).contents).toMatchObject([{ text: "Zebra" }]);
    for (const path of ["../../main/files/secret.md", "%2e%2e/%2e%2e/main/files/secret.md", "none.md"])
      await expect(client.readResource({ uri: `recollect://agents/support/files/${path}` })).rejects.toThrow(
        "Resource not found",
      );
    await client.close();
  });

  test("a wrong key or agent is one sentence on standard error, and the end", async () => {
    await expect(start({ ...env, RECOLLECT_API_KEY: "rcl_wrong" })).rejects.toThrow("(unauthenticated)");
    await expect(start(env, { args: ["--agent", "main"] })).rejects.toThrow("(agent_not_found)");
  });

  test("a server that goes away is an answer that says so, and for a search what to do, not the end", async () => {
    const other = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
    const { client } = await start({ ...env, RECOLLECT_URL: other.url }, { args: ["--agent", "support"] });
    await other.close();
    const found = answerOf(await client.callTool({ name: "memory_search", arguments: { query: "zebra" } }));
    expect(found).toMatchObject({ results: [], disabled: true, unavailable: true, error: "service_unreachable" });
    expect(found.action).toMatch(/start it/);
    const result = await client.callTool({ name: "memory_get", arguments: { path: "a.md" } });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("(service_unreachable)") }],
    });
    await client.close();
  });
});
