import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EmbedInputType } from "../../src/embeddings/embedder.ts";
import { needsPostgres } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** Answers a query only when the test releases it. */
class HeldQueries extends WordEmbedder {
  release: (() => void) | undefined;
  override async embed(texts: readonly string[], inputType: EmbedInputType, signal?: AbortSignal) {
    if (inputType === "query") await new Promise<void>((resolve) => (this.release = resolve));
    return super.embed(texts, inputType, signal);
  }
}

describe("an agent that is erased while its texts are embedded", () => {
  let app: TestApp;
  const embedder = new HeldQueries();
  beforeAll(async () => {
    app = await startTestApp({ embedder });
  });
  afterAll(() => app.drop());
  const cached = async (agent: string) =>
    (await app.db.executeSql("SELECT hash FROM recollect.embedding_cache WHERE agent_id = $1", [agent])).rows.length;

  test("leaves no vector of a query whose answer comes afterwards", async () => {
    await app.put("a.md", "A note", "asked");
    await app.embedded("asked");
    const answer = app.search("what did it say?", {}, "asked");
    await until(async () => embedder.release !== undefined);
    expect((await app.call("DELETE", "/v1/agents/asked")).status).toBe(200);
    embedder.release?.();
    await answer;
    expect(await cached("asked")).toBe(0);
  });

  const options = needsPostgres("the embedded database has one session, so no transaction is beside another");
  test("leaves no vector that was being stored when the erasure began", options, async () => {
    let open = () => {};
    embedder.gate = new Promise((resolve) => {
      open = resolve;
    });
    await app.put("a.md", "A note that is being stored", "stored");
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'stored'",
    );
    const undo = new Error("undo");
    let erased: Promise<{ status: number }> | undefined;
    const holding = app.db.transaction(async (tx) => {
      // Another transaction has inserted the same cache row, so the worker's insert waits before
      // its commit.
      await tx.executeSql(
        `INSERT INTO recollect.embedding_cache (tenant_id, provider, model, provider_key, hash, embedding, created_at)
         SELECT a.tenant_id, 'test', 'words', 'test', c.hash, '[1]', now()
           FROM recollect.agents a, ${rows[0]?.schema}.chunks_1 c WHERE a.id = 'stored'`,
      );
      open();
      await until(async () => (await waiting()) === 1);
      erased = app.call("DELETE", "/v1/agents/stored");
      await until(async () => (await waiting()) === 2);
      throw undo;
    });
    await expect(holding).rejects.toBe(undo);
    expect((await erased)?.status).toBe(200);
    expect(await cached("stored")).toBe(0);
  });

  const waiting = async () =>
    (
      await app.db.executeSql<{ n: number }>(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
    ).rows[0]?.n;
});
