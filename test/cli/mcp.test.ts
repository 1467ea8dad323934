import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CliContext } from "../../src/cli/shell/context.ts";
import { RecollectError } from "../../src/client/client.ts";
import type { MemoryAccess } from "../../src/service/tools/memory-access.ts";
import { type CliHarness, startCliHarness } from "../support/cli-harness.ts";
import { errorReply } from "../support/fake-api.ts";

const OFFERED = {
  prompt: "## Memory Recall",
  tools: [
    { name: "memory_search", annotations: { readOnlyHint: true, idempotentHint: true } },
    { name: "memory_note", annotations: { readOnlyHint: false, idempotentHint: false } },
  ],
};

describe("recollect mcp", () => {
  let cli: CliHarness;
  beforeEach(async () => {
    cli = await startCliHarness();
    cli.api.intercept = ({ path }) => ({ status: 200, body: path.includes("/tools?") ? OFFERED : { answered: path } });
  });
  afterEach(async () => {
    expect(cli.openConnections()).toBe(0);
    await cli.close();
  });

  /** Runs the command with a client that calls `use` with the served memory. */
  const serve = (argv: string[], use: (memory: MemoryAccess, ...rest: unknown[]) => Promise<void>) =>
    cli.run(["mcp", ...argv], { serveMcp: (memory, options) => use(memory, options) });
  const asked = () => cli.api.requests.map(({ method, path, body }) => [method, path, body]);

  test("asks for the tools before it serves, and ends when the client does", async () => {
    const ran = await serve(["--agent", "work"], async (memory) => {
      expect(memory.agentId).toBe("work");
      expect(asked()).toEqual([["GET", "/v1/agents/work/tools?format=mcp", expect.anything()]]);
    });
    expect(ran).toEqual({ code: 0, out: "", err: "" });
  });

  test("tools, files and pages are those of the API, their names escaped", async () => {
    await serve([], async (memory) => {
      cli.api.requests.length = 0;
      expect(await memory.call("memory_search", { query: "x" })).toEqual({
        answered: "/v1/agents/main/tools/memory_search",
      });
      await memory.call("../files", {});
      await memory.files(undefined);
      await memory.files("a&b=c");
      await memory.file("notes/ä #?.md");
    });
    expect(asked().filter(([, path]) => path !== "/v1/agents/main/tools?format=mcp")).toEqual([
      ["POST", "/v1/agents/main/tools/memory_search", { query: "x" }],
      ["POST", "/v1/agents/main/tools/..%2Ffiles", {}],
      ["GET", "/v1/agents/main/files", expect.anything()],
      ["GET", "/v1/agents/main/files?cursor=a%26b%3Dc", expect.anything()],
      ["GET", "/v1/agents/main/files/notes/%C3%A4%20%23%3F.md", expect.anything()],
    ]);
  });

  test("tools store for the user that the command names", async () => {
    await serve(["--user", "o'neil & co"], async (memory) => void (await memory.call("memory_note", { text: "x" })));
    expect(asked().at(-1)).toEqual([
      "POST",
      "/v1/agents/main/tools/memory_note?user=o%27neil%20%26%20co",
      { text: "x" },
    ]);
  });

  test("a call that may have been carried out is not repeated unless that does no harm", async () => {
    await serve([], async (memory) => {
      cli.api.intercept = ({ path }) => (path.includes("/tools?") ? { status: 200, body: OFFERED } : "hang up");
      cli.api.requests.length = 0;
      await expect(memory.call("memory_note", {})).rejects.toThrow("check whether the request was carried out");
      expect(asked().filter(([method]) => method === "POST").length).toBe(1);
      cli.api.requests.length = 0;
      await expect(memory.call("memory_search", {})).rejects.toThrow("is the server running?");
      expect(asked().filter(([method]) => method === "POST").length).toBe(5);
    });
  });

  test("what is said of an error is the API's sentence, and nothing of any other", async () => {
    await serve([], async (_memory, options) => {
      const { explain } = options as Parameters<CliContext["serveMcp"]>[1];
      const error = new RecollectError("invalid_path", "No such path.", { requestId: "r-1" });
      expect(explain(error)).toEqual({ code: "invalid_path", text: "No such path. (invalid_path)" });
      const fault = new RecollectError("internal", "A fault.", { requestId: "r-1" });
      expect(explain(fault).text).toBe("A fault. (internal, request r-1)");
      expect(explain(new TypeError("secret")).text).not.toContain("secret");
    });
  });

  test("it serves the documented tools before its server is up, and the server's afterwards", async () => {
    cli.api.intercept = () => "hang up";
    const ran = await serve([], async (memory) => {
      expect((await memory.offered()).tools.map(({ name }) => name)).toContain("memory_search");
      await expect(memory.call("memory_search", { query: "x" })).rejects.toThrow("is the server running?");
      cli.api.intercept = () => ({ status: 200, body: OFFERED });
      expect(await memory.offered()).toEqual(OFFERED);
    });
    expect(ran).toMatchObject({ code: 0, err: expect.stringMatching(/^[^\n]*is the server running\?[^\n]*\n$/) });
  });

  test("a refusal ends it before anything is served", async () => {
    cli.api.intercept = () => errorReply(401, "unauthenticated", "Send a key.");
    const ran = await serve([], () => Promise.reject(new Error("served")));
    expect(ran).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(/^Send a key\. .*RECOLLECT_API_KEY.* \(unauthenticated\)\n$/),
    });
    expect((await cli.run(["mcp", "--agent", ".."])).code).toBe(2);
    expect((await cli.run(["mcp", "--help"])).out).toContain("  recollect mcp");
  });
});
