import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const section = (name: string) => `## ${name}\n\n${`Some words about ${name} that fill the section. `.repeat(30)}\n`;
const document = (...names: string[]) => names.map(section).join("\n");

describe("the write path", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());
  afterEach(() => {
    app.embedder.failure = undefined;
    app.embedder.gate = undefined;
  });

  test("a write is found by keyword in the very next request, before its embedding exists", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.embedder.gate = promise;
    const written = await app.put("fresh.md", "The spare key hangs behind the zeppelin calendar.", "fresh");
    expect(written.body).toMatchObject({ status: "created", chunks: 1, pendingEmbeddings: 1 });
    const { results } = await app.search("zeppelin", {}, "fresh");
    expect(results[0]).toMatchObject({ path: "fresh.md", startLine: 1, endLine: 1 });
    expect(results[0]?.vectorScore).toBeUndefined();
    resolve();
    await app.embedded("fresh");
    const later = await app.search("zeppelin", {}, "fresh");
    expect(later.mode).toBe("hybrid");
    expect(later.results[0]?.vectorScore).toBeGreaterThan(0);
  });

  test("editing one section embeds it alone; the others keep row and embedding", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `topic${i}`);
    await app.put("long.md", document(...names), "edit");
    await app.embedded("edit");
    app.embedder.asked.length = 0;
    const edited = document(...names).replace("Some words about topic5", "Different words about topic5");
    const written = await app.put("long.md", edited, "edit");
    expect(written.body.status).toBe("updated");
    expect(written.body.pendingEmbeddings).toBeGreaterThan(0);
    expect(written.body.pendingEmbeddings).toBeLessThanOrEqual(2);
    await app.embedded("edit");
    expect(app.embedder.asked).toHaveLength(written.body.pendingEmbeddings);
  });

  test("the same content again changes nothing and embeds nothing", async () => {
    await app.put("same.md", document("alpha", "beta"), "same");
    await app.embedded("same");
    app.embedder.asked.length = 0;
    const again = await app.put("same.md", document("alpha", "beta"), "same");
    expect(again.body).toMatchObject({ status: "unchanged", pendingEmbeddings: 0 });
    expect(app.embedder.asked).toEqual([]);
  });

  test("text that any agent of the tenant has embedded is taken from the cache, in the same transaction", async () => {
    await app.put("original.md", document("gamma"), "one");
    await app.embedded("one");
    app.embedder.asked.length = 0;
    const copy = await app.put("copy.md", document("gamma"), "two");
    expect(copy.body.pendingEmbeddings).toBe(0);
    expect(app.embedder.asked).toEqual([]);
  });

  test("moved chunks keep their embedding and cite their new lines", async () => {
    await app.put("moved.md", document("delta", "epsilon"), "moved");
    await app.embedded("moved");
    const shifted = `${"Preface line.\n".repeat(3)}\n${document("delta", "epsilon")}`;
    await app.put("moved.md", shifted, "moved");
    const { results } = await app.search("epsilon", { maxResults: 1 }, "moved");
    const [hit] = results;
    const lines = shifted.split("\n").slice((hit?.startLine ?? 0) - 1, hit?.endLine);
    expect(lines.join("\n")).toContain("## epsilon");
  });

  test("a deleted file is gone from search, listing and reading", async () => {
    await app.put("gone.md", "The albatross flies at noon.", "del");
    await app.put("stays.md", "The pelican stays.", "del");
    expect((await app.call("DELETE", "/v1/agents/del/files/gone.md")).status).toBe(200);
    expect((await app.search("albatross", { minScore: 0 }, "del")).results.map((hit) => hit.path)).not.toContain(
      "gone.md",
    );
    expect((await app.call("GET", "/v1/agents/del/files/gone.md")).status).toBe(404);
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'del'",
    );
    const { rows: left } = await app.db.executeSql(`SELECT count(*)::int AS n FROM ${rows[0]?.schema}.chunks_1`);
    expect(left).toEqual([{ n: 1 }]);
  });

  test("a batch is all or nothing", async () => {
    await app.put("base.md", "Base", "batch");
    const bad = await app.call("POST", "/v1/agents/batch/files", {
      put: [
        { path: "good.md", content: "Good" },
        { path: "../bad.md", content: "Bad" },
      ],
      delete: ["base.md"],
    });
    expect(bad.status).toBe(400);
    const { body } = await app.call<{ files: { path: string }[] }>("GET", "/v1/agents/batch/files");
    expect(body.files.map((file) => file.path)).toEqual(["base.md"]);
  });

  test("batches that share paths in opposite order all succeed", async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `shared/${i}.md`);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, writer) => {
        const ordered = writer % 2 ? paths : paths.toReversed();
        return app.call("POST", "/v1/agents/shared/files", {
          put: ordered.slice(0, 8).map((path) => ({ path, content: `Writer ${writer} on ${path}` })),
          delete: ordered.slice(8),
        });
      }),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
  });

  test("while the provider is out, writes go on, search answers by keyword and says so, and the job finishes later", async () => {
    app.embedder.failure = new AppError("embedder_unavailable", "The provider does not answer.");
    expect((await app.put("out.md", "The walrus signed the contract.", "outage")).status).toBe(200);
    const during = await app.search("walrus contract", {}, "outage");
    expect(during).toMatchObject({ mode: "keyword", results: [{ path: "out.md" }] });
    expect(during.warning).toContain("keyword");
    const status = async () =>
      (await app.call<{ embeddingProblem?: string }>("GET", "/v1/agents/outage/status")).body.embeddingProblem;
    await expect.poll(status, { timeout: 20_000 }).toBe("The provider does not answer.");
    app.embedder.failure = undefined;
    await app.embedded("outage");
    expect(await status()).toBeUndefined();
    expect((await app.search("walrus contract", {}, "outage")).mode).toBe("hybrid");
  });

  test("files come back byte for byte", async () => {
    const content = "\ufeff# Títle\r\nline two\r\n\r\n日本語 😀\ttab  \nno newline at the end";
    await app.put("exact.md", content, "bytes");
    const { body } = await app.call<{ content: string; size: number }>("GET", "/v1/agents/bytes/files/exact.md");
    expect(body.content).toBe(content);
    expect(body.size).toBe(Buffer.byteLength(content));
  });

  test("listing pages through all files in order", async () => {
    const put = Array.from({ length: 25 }, (_, i) => ({
      path: `n/${String(i).padStart(2, "0")}.md`,
      content: `Note ${i}`,
    }));
    await app.call("POST", "/v1/agents/pages/files", { put });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? "" : `&cursor=${cursor}`;
      const { body } = await app.call<{ files: { path: string }[]; nextCursor?: string }>(
        "GET",
        `/v1/agents/pages/files?limit=10${query}`,
      );
      seen.push(...body.files.map((file) => file.path));
      cursor = body.nextCursor;
    } while (cursor);
    expect(seen).toEqual(put.map((file) => file.path));
    const { body } = await app.call<{ files: unknown[] }>("GET", "/v1/agents/pages/files?prefix=n/1");
    expect(body.files).toHaveLength(10);
  });
});
