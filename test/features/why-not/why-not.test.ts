import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WhyNot } from "../../../src/features/why-not/why-not.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

describe("why-not", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    const put = Array.from({ length: 30 }, (_, i) => ({
      path: `n${i}.md`,
      content: `The heron stood at pond number ${i}.`,
    }));
    put.push({ path: "copy.md", content: "The heron stood at pond number 3." });
    put.push({ path: "far.md", content: "Quarterly tax figures of the subsidiary." });
    put.push({ path: "empty.md", content: "" });
    await app.call("POST", "/v1/agents/main/files", { put });
    const lines = Array.from(
      { length: 120 },
      (_, i) => `Line ${i} tells of the lighthouse keeper and his lamp number ${i}.`,
    );
    await app.put("long.md", lines.join("\n"));
    await app.embedded();
  });
  afterAll(() => app.drop());

  const ask = async (query: string, path: string, options: Record<string, unknown> = {}) =>
    (await app.call<WhyNot>("POST", "/v1/agents/main/why-not", { query, path, ...options })).body;

  test("names the stage at which each chunk was left", async () => {
    const { results } = await app.search("heron pond", { minScore: 0, maxResults: 20 });
    const [first] = results;
    expect((await ask("heron pond", first?.path ?? "")).chunks).toMatchObject([
      { stage: "shown", reason: "It is hit 1.", keyword: { rank: expect.any(Number) } },
    ]);
    const shown = new Set(
      (await app.search("heron pond", { minScore: 0, maxResults: 2 })).results.map((hit) => hit.path),
    );
    const beyond = results.find((hit) => !shown.has(hit.path));
    expect((await ask("heron pond", beyond?.path ?? "", { minScore: 0, maxResults: 2 })).chunks[0]?.stage).toBe(
      "limit",
    );
    const twin = results.some((hit) => hit.path === "copy.md") ? "n3.md" : "copy.md";
    const duplicate = (await ask("heron pond number 3", twin, { minScore: 0, maxResults: 20 })).chunks[0];
    expect(duplicate?.stage).toBe("duplicate");
    expect(duplicate?.reason).toMatch(/^Its text is that of (copy|n3)\.md#L1, which comes before it\.$/);
    const missed = (await ask("heron pond", "far.md", { maxResults: 1 })).chunks[0];
    expect(missed).toMatchObject({ stage: "candidates", vector: { score: expect.any(Number) } });
    expect(missed?.reason).toMatch(/^It has none of the query's words, and its similarity of /);
    expect((await ask("heron pond", "far.md", { maxResults: 20, minScore: 0.5 })).chunks[0]?.stage).toBe("floor");
    const joined = (await ask("lighthouse keeper lamp", "long.md")).chunks.map((chunk) => chunk.stage);
    expect(joined).toContain("joined");
  });

  test("says that a list of a day has left a text of another day out", async () => {
    await app.put("notes/2026-05-04.md", "The gate was painted.");
    await app.put("notes/2026-05-09.md", "The kettle broke.");
    expect((await ask("What happened on 4 May 2026?", "notes/2026-05-09.md")).chunks).toMatchObject([
      { stage: "excluded", reason: expect.stringContaining("asks for all texts of some days") },
    ]);
  });

  test("knows what is not there, not indexed, not searched", async () => {
    expect(await ask("heron", "nowhere.md")).toEqual({ path: "nowhere.md", found: false, indexed: false, chunks: [] });
    expect(await ask("heron", "empty.md")).toEqual({ path: "empty.md", found: true, indexed: false, chunks: [] });
    expect((await ask("heron", "n1.md", { corpus: "sessions" })).chunks[0]?.stage).toBe("excluded");
    expect((await ask("heron", "n1.md", { paths: ["other/"] })).chunks[0]).toMatchObject({
      stage: "candidates",
      reason: expect.stringContaining("filter"),
    });
    // A search reads such a pattern, number and question in the same way.
    expect((await ask("heron", "n1.md", { paths: ["./n1.md"] })).chunks[0]?.stage).toBe("shown");
    const wide = { maxResults: 1_000_000, minScore: 0 };
    expect((await ask("heron", "n1.md", wide)).warning).toContain("maxResults was cut to 100");
    expect((await ask(`heron ${"pond ".repeat(20_000)}`, "n1.md", wide)).chunks[0]?.stage).toBe("shown");
    const fresh = await app.call<WhyNot>("POST", "/v1/agents/fresh-main/why-not", { query: "x", path: "a" });
    expect(fresh.body).toEqual({ path: "a", found: false, indexed: false, chunks: [] });
  });
});
