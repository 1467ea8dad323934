import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
