import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countStatements } from "../support/count-statements.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("what a search costs", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    const put = Array.from({ length: 120 }, (_, i) => ({
      path: `n${i}.md`,
      content: `Heron ${i} stands at pond ${i % 7} with ${["reed", "carp", "frog"][i % 3]} and water.`,
    }));
    await app.call("POST", "/v1/agents/main/files", { put: put.slice(0, 60) });
    await app.call("POST", "/v1/agents/main/files", { put: put.slice(60) });
    await app.embedded();
  });
  afterAll(() => app.drop());

  const cost = (query: string, more: object = {}) =>
    countStatements(app, /^\s*(SELECT|WITH)/i, () => app.search(query, { minScore: 0, explain: true, ...more }));

  test("as many statements for one hit as for a hundred, for one word as for many", async () => {
    const one = await cost("heron", { maxResults: 1 });
    expect(one).toBeGreaterThan(5);
    // Statements: lookup 2 to 4, keyword arm 3, vector arm 2, ranking 6.
    expect(one).toBeLessThanOrEqual(15);
    expect(await cost("heron", { maxResults: 100 })).toBeLessThanOrEqual(15);
    const words = Array.from({ length: 200 }, (_, i) => `pond reed carp frog water ${i}`).join(" ");
    expect(await cost(words, { maxResults: 100 })).toBeLessThanOrEqual(15);
  });
});
