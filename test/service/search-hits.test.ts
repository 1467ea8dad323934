import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("which hits a search shows", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());

  test.each([
    ["Übersicht.md", "notes/Übersicht.md"],
    ["übersicht.MD", "notes/Übersicht.md"],
    ["Übersicht.md".normalize("NFD"), "notes/Übersicht.md"],
    ["notes/Übersicht.md".normalize("NFD"), "notes/Übersicht.md"],
    ["ПЛАН.md", "notes/План.md"],
  ])("a file named %s comes first", async (query, path) => {
    await app.put("notes/Übersicht.md", "Words about bread", "named");
    await app.put("notes/План.md", "Words about butter", "named");
    for (let i = 0; i < 8; i++) await app.put(`o${i}.md`, `Übersicht.md и ПЛАН.md mentioned, number ${i}`, "named");
    await app.embedded("named");
    expect((await app.search(query, {}, "named")).results[0]?.path).toBe(path);
  });

  test("a file that the query names is no hit of another source", async () => {
    await app.put("notes/plan.md", "Words about butter", "sources");
    expect((await app.search("notes/plan.md", { corpus: "memory" }, "sources")).results).toHaveLength(1);
    expect((await app.search("notes/plan.md", { corpus: "sessions" }, "sources")).results).toEqual([]);
  });

  test("equal texts do not crowd out the others", async () => {
    const put = Array.from({ length: 40 }, (_, i) => ({
      path: `daily/${i}.md`,
      content: "deploy checklist template: run migrations, restart workers",
    }));
    for (let i = 0; i < 6; i++) {
      const content = `deploy checklist for host ${i}: migrations took ${i} minutes, restart of workers by team ${i}`;
      put.push({ path: `real/${i}.md`, content });
    }
    await app.call("POST", "/v1/agents/crowd/files", { put });
    await app.embedded("crowd");
    const query = "deploy checklist template run migrations restart workers";
    const { results } = await app.search(query, { minScore: 0 }, "crowd");
    expect(results).toHaveLength(6);
    expect(results.filter((hit) => hit.path.startsWith("daily/"))).toHaveLength(1);
  });
});
