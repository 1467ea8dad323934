import { afterAll, beforeAll, expect, test } from "vitest";
import { createSegmentCache, type SegmentCache } from "../../src/db/agent/segments/segments.ts";
import { countStatements } from "../support/count-statements.ts";
import { makeCountedIndex } from "../support/counted-index.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false, env: { RECOLLECT_PROVIDER: "none" } });
});
afterAll(() => app.drop());

/** Matches the statement that looks up hits of posting lists before ranking. */
const CHECKS = /SELECT k\.id FROM/;

test("a search finds as much as it should when the best of its posting lists were deleted since they were made", async () => {
  const files = Array.from({ length: 700 }, (_, n) => ({
    path: `n${n}.md`,
    // The fewer other words a file has, the higher it ranks.
    content: `A heron ${"and a reed ".repeat(1 + (n % 70))} number${n}`,
  }));
  await makeCountedIndex(app, files);
  let maxResults = 20;
  const search = async () => {
    let paths: string[] = [];
    const checks = await countStatements(app, CHECKS, async () => {
      paths = (await app.search("heron", { maxResults, minScore: 0 })).results.map((hit) => hit.path);
    });
    return { paths, checks };
  };
  const before = await search();
  expect(before.paths).toHaveLength(20);
  expect(before.checks).toBe(0);

  const gone = before.paths.slice(0, 15);
  await app.call("POST", "/v1/agents/main/files", { delete: gone });
  const after = await search();
  expect(after.paths).toHaveLength(20);
  expect(after.paths.slice(0, 5)).toEqual(before.paths.slice(15));
  expect(after.paths.filter((path) => gone.includes(path))).toEqual([]);
  expect(after.checks).toBe(1);

  maxResults = 19;
  expect(await search()).toEqual({ paths: after.paths.slice(0, 19), checks: 1 });

  // A process without cached segments checks the hits in the same search.
  const deps = app.runtime.deps as { segmentCache: SegmentCache };
  deps.segmentCache = createSegmentCache(1000);
  maxResults = 18;
  expect(await search()).toEqual({ paths: after.paths.slice(0, 18), checks: 1 });
});
