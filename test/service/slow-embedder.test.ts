import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("an embedder that takes long to be made, as one whose provider must be asked for its dimensions", () => {
  let writer: TestApp;
  let late: TestApp;
  /**
   * Completes an embedder that is being made. Until a test calls it, every request for that
   * embedder waits.
   */
  const held: ((embedder: Embedder) => void)[] = [];
  beforeAll(async () => {
    writer = await startTestApp({ worker: false });
    await writer.put("a.md", "Amber notes");
    // The service makes the embedder for agents without their own settings at its start. The
    // embedder for the settings of this test (the model `slow`) is only made when the test says so.
    late = await startTestApp({
      on: writer,
      worker: false,
      env: { RECOLLECT_QUERY_EMBED_TIMEOUT_MS: "300" },
      embedders: (settings) =>
        settings.model === "slow" ? new Promise((resolve) => held.push(resolve)) : Promise.resolve(writer.embedder),
    });
    await writer.db.executeSql(`UPDATE recollect.agents SET settings = '{"model":"slow"}' WHERE id = 'main'`);
  });
  afterAll(async () => {
    for (const make of held) make(writer.embedder);
    await late.drop();
    await writer.drop();
  });

  test("makes no search wait longer than for a query's embedding", async () => {
    const answer = await late.search("amber");
    expect(held).toHaveLength(1);
    expect(answer).toMatchObject({ mode: "keyword", results: [{ path: "a.md" }] });
    expect(answer.warning).toContain("keyword search only");
  });

  test("makes no status wait either", async () => {
    expect((await late.call("GET", "/v1/agents/main/status")).status).toBe(200);
    expect(held.length).toBeGreaterThan(0);
  });
});
