import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectClient, ERAS } from "../support/mcp-client.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe.each(ERAS)("streamable HTTP, %j", (era) => {
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("memory/2026-05-18.md", "# Billing\n\nThe billing job moved to the queue.");
    client = await connectClient(app, { era });
  });
  afterAll(async () => {
    await client.close();
    await app.drop();
  });

  test("says who it is and when to use it", () => {
    expect(client.getServerVersion()).toMatchObject({ name: "recollect" });
    expect(client.getInstructions()).toContain("memory_search");
  });

  test("lists tools", async () => {
    const { tools } = await client.listTools();
    console.log(
      JSON.stringify(tools).length,
      tools.map((t) => t.name),
    );
    const result = await client.callTool({ name: "memory_search", arguments: { query: "billing" } });
    console.log(JSON.stringify(result));
    console.log(JSON.stringify(await client.callTool({ name: "memory_get", arguments: { path: "../x" } })));
    console.log(JSON.stringify(await client.listResources()));
    console.log(JSON.stringify(await client.listPrompts()));
    console.log(
      JSON.stringify(await client.readResource({ uri: "recollect://agents/main/files/memory/2026-05-18.md" })),
    );
    console.log(
      JSON.stringify(
        await client.readResource({ uri: "recollect://agents/main/files/../x" }).catch((e) => [e.code, e.message]),
      ),
    );
    console.log(JSON.stringify(await client.callTool({ name: "nope" }).catch((e) => [e.code, e.message])));
  });
});
