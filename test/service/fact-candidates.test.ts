import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

/** Facts are few, so each is compared with the question, however many passages are nearer. */
describe("candidates of facts", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
    // Each of these shares more words with the question than the fact does.
    const put = Array.from({ length: 80 }, (_, i) => ({
      path: `notes/n${i}.md`,
      content: `Where is the spare key of shed ${i}, and where is the key of gate ${i}?`,
    }));
    await app.call("POST", "/v1/agents/main/files", { put });
    await app.store("main", "A spare hangs behind the boiler", {
      text: "Bo has a spare too",
      scope: { user: "bo" },
    });
    await app.rested();
  });
  afterAll(() => app.drop());

  const question = "Where is the spare key?";

  test("a fact is a candidate although passages take every place of both arms", async () => {
    const { debug } = await app.search(question, { explain: true, minScore: 0, maxResults: 3 });
    const paths = debug?.arms.vector.map(({ path }) => path) ?? [];
    expect(paths).toContain("facts/1");
    expect(paths.filter((path) => path.startsWith("notes/")).length).toBeGreaterThan(3);
  });

  test("only facts of the scope are, and none where the search leaves facts out", async () => {
    const paths = async (more: Record<string, unknown>) =>
      (await app.search(question, { explain: true, minScore: 0, maxResults: 3, ...more })).debug?.arms.vector.map(
        ({ path }) => path,
      ) ?? [];
    expect(await paths({ scope: {} })).not.toContain("facts/2");
    expect(await paths({ scope: { user: "bo" } })).toContain("facts/2");
    for (const more of [{ corpus: "memory" }, { paths: ["notes/*"] }, { after: "2999-01-01" }])
      expect((await paths(more)).filter((path) => path.startsWith("facts/"))).toEqual([]);
  });

  test("a fact scores higher than a passage of the same evidence", async () => {
    const { results } = await app.search(question, { explain: true, minScore: 0, maxResults: 100 });
    const fact = results.find(({ path }) => path === "facts/1");
    const { evidence = 0, fusedScore = 0 } = fact?.explain ?? {};
    const passages = results.flatMap(({ path, explain }) => (path.startsWith("notes/") && explain ? [explain] : []));
    for (const passage of passages)
      if (passage.evidence <= evidence) expect(passage.fusedScore).toBeLessThan(fusedScore);
    expect(fusedScore).toBeGreaterThan(0);
  });
});
