import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SearchOutput } from "../../src/service/search/search-schemas.ts";
import { MEMORY_TOOLS } from "../../src/service/tools/tool-table.ts";
import { answerOf, connectClient, ERAS } from "../support/mcp-client.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const NOTE = "# Billing\n\nThe billing job moved to the queue.\n";
const URI = "recollect://agents/main/files/";
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => "no refusal",
    (error: unknown) => (error instanceof ProtocolError ? { code: error.code, message: error.message } : error),
  );

describe.each(ERAS)("MCP over HTTP, %j", (era) => {
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("memory/2026-05-18.md", NOTE);
    await app.call("POST", "/v1/agents/main/files", { put: [{ path: "memory/ä b%2f#?.txt", content: "odd" }] });
    client = await connectClient(app, { era });
  });
  afterAll(async () => {
    await client.close();
    await app.drop();
  });

  test("says who it is and, in its instructions, when memory is to be searched", async () => {
    expect(client.getServerVersion()).toMatchObject({ name: "recollect", title: "Recollect memory" });
    const instructions = client.getInstructions() ?? "";
    expect(instructions).toMatch(/^## Memory Recall\n.*memory_search.*mandatory.*memory_get/s);
    // Clients cut longer instructions.
    expect(instructions.length).toBeLessThan(2048);
  });

  test("lists each tool with its schemas and hints", async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(MEMORY_TOOLS.map((tool) => tool.name));
    for (const tool of tools) {
      expect(tool.title).not.toBe("");
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      // An answer is sent once, as text; see createMcpServer.
      expect(tool.outputSchema).toBeUndefined();
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
      expect([readOnlyHint, destructiveHint, idempotentHint].map((hint) => typeof hint)).toEqual(
        Array(3).fill("boolean"),
      );
      expect(openWorldHint).toBe(false);
    }
    const search = tools.find((tool) => tool.name === "memory_search");
    expect(search?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
    // Options for people are not offered to a model.
    expect(Object.keys(search?.inputSchema.properties ?? {})).not.toContain("explain");
  });

  test("calls answer once, as text, with what a model has use for", async () => {
    const found = await client.callTool({ name: "memory_search", arguments: { query: "billing queue" } });
    const { body } = await app.call<SearchOutput>("POST", "/v1/agents/main/tools/memory_search", {
      query: "billing queue",
    });
    const [hit] = body.results;
    expect(answerOf(found)).toEqual({
      results: [
        {
          path: "memory/2026-05-18.md",
          startLine: 1,
          endLine: 3,
          source: "memory",
          score: Number(hit?.score.toFixed(2)),
          date: "2026-05-18",
          snippet: NOTE.trimEnd(),
        },
      ],
      mode: body.mode,
    });
    const read = await client.callTool({ name: "memory_get", arguments: { path: "memory/2026-05-18.md", from: 3 } });
    expect(answerOf(read)).toMatchObject({ text: "The billing job moved to the queue.", from: 3, lines: 1 });
    const missing = await client.callTool({ name: "memory_get", arguments: { path: "none.md" } });
    expect(answerOf(missing)).toEqual({ status: "not_found", text: "", path: "none.md" });
  });

  test("a tool's error is an answer with our sentence and code, and nothing else", async () => {
    const failing: [string, Record<string, unknown>, RegExp][] = [
      ["memory_get", { path: "../../etc/passwd" }, /^The path .* Use a relative path .* \(invalid_path\)$/],
      ["memory_search", {}, /^The request is not valid\. query: is missing, for example \{"query":".+"\}\. \(/],
      [
        "memory_get",
        {},
        /^The request is not valid\. path: is missing, for example \{"path":".+"\}\. \(invalid_request\)$/,
      ],
      ["memory_store", {}, /text: is missing, for example \{"text":".+"\}\. \(invalid_request\)$/],
      ["memory_recall", {}, /query: is missing, for example \{"query":".+"\}\. \(invalid_request\)$/],
      [
        "memory_forget",
        {},
        /needs either ids to forget, for example \{"ids":\["7"\]\}, or a query .* \(invalid_request\)$/,
      ],
      ["memory_get", { path: "a", lines: "few" }, /lines: .* \(invalid_request\)$/],
      [
        "memory_search",
        { query: "x", paths: ["*a".repeat(400)] },
        /paths\W.*at most 8 wildcards.* \(invalid_request\)$/,
      ],
      ["memory_search", { query: " " }, /query: must not be empty\. \(invalid_request\)$/],
      [
        "memory_search",
        { query: "x", corpus: "cellar" },
        /"memory", "sessions", "facts", "all".* \(invalid_request\)$/,
      ],
      ["memory_search", { query: "x", scope: { colour: "red" } }, /colour.* \(invalid_request\)$/],
    ];
    for (const [name, args, text] of failing) {
      const result = await client.callTool({ name, arguments: args });
      expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: expect.stringMatching(text) }] });
      expect(result.structuredContent).toBeUndefined();
    }
    const unknown = await refusal(client.callTool({ name: "memory_erase" }));
    expect(unknown).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/no tool "memory_erase"; the tools are memory_search, .*memory_forget\.$/),
    });
  });

  test("files are resources, listed and read by URI", async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ name, uri, mimeType, size }) => ({ name, uri, mimeType, size }))).toEqual([
      {
        name: "memory/2026-05-18.md",
        uri: `${URI}memory/2026-05-18.md`,
        mimeType: "text/markdown",
        size: NOTE.length,
      },
      { name: "memory/ä b%2f#?.txt", uri: `${URI}memory/%C3%A4%20b%252f%23%3F.txt`, mimeType: "text/plain", size: 3 },
    ]);
    const texts = await Promise.all(resources.map(({ uri }) => client.readResource({ uri })));
    expect(texts.map(({ contents }) => contents)).toEqual([
      [{ uri: resources[0]?.uri, mimeType: "text/markdown", text: NOTE }],
      [{ uri: resources[1]?.uri, mimeType: "text/plain", text: "odd" }],
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((template) => template.uriTemplate)).toEqual([`${URI}{+path}`]);
  });

  test("nothing else is a resource", async () => {
    await app.put("secret.md", "Another's", "other");
    const uris = [
      "none.md",
      "",
      "../../other/files/secret.md",
      "memory/../memory/2026-05-18.md",
      "memory/%2e%2e/memory/2026-05-18.md",
      "%E0%A4%A",
    ].map((path) => `${URI}${path}`);
    for (const uri of [...uris, "recollect://agents/other/files/secret.md", "file:///etc/passwd", "x"])
      expect([uri, await refusal(client.readResource({ uri }))]).toEqual([
        uri,
        { code: -32602, message: expect.stringContaining("Resource not found") },
      ]);
    for (const path of ["/etc/passwd", "%00", "a%5Cb", "a//b"])
      expect(await refusal(client.readResource({ uri: `${URI}${path}` }))).toMatchObject({
        code: -32602,
        message: expect.stringContaining("(invalid_path)"),
      });
  });

  test("the prompt section is a prompt", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([{ name: "memory_recall", title: "Memory Recall" }]);
    const { messages } = await client.getPrompt({ name: "memory_recall" });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: client.getInstructions() } }]);
    expect(await refusal(client.getPrompt({ name: "other" }))).toMatchObject({ code: -32602 });
  });
});

test("a long list of resources comes page by page; a large file is not read whole", async () => {
  const app = await startTestApp({ worker: false });
  const paths = Array.from({ length: 205 }, (_, index) => `notes/${String(index).padStart(3, "0")}.md`);
  for (let from = 0; from < paths.length; from += 100)
    await app.call("POST", "/v1/agents/main/files", {
      put: paths.slice(from, from + 100).map((path) => ({ path, content: path })),
    });
  await app.put("z-large.txt", "x\n".repeat(600_000));
  const client = await connectClient(app);
  const first = await client.request({ method: "resources/list", params: {} });
  expect(first.resources.length).toBe(200);
  const second = await client.request({ method: "resources/list", params: { cursor: String(first.nextCursor) } });
  expect(second.nextCursor).toBeUndefined();
  expect([...first.resources, ...second.resources].map(({ name }) => name)).toEqual([...paths, "z-large.txt"]);
  expect(await refusal(client.request({ method: "resources/list", params: { cursor: "!" } }))).toMatchObject({
    code: -32602,
    message: expect.stringContaining("(invalid_request)"),
  });
  expect(await refusal(client.readResource({ uri: `${URI}z-large.txt` }))).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/1200000 bytes.*memory_get/),
  });
  await client.close();
  await app.drop();
});
