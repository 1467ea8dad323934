import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sessionPath } from "../../src/settings/memory-path.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const KEYS = [
  "slack:C1",
  "stand-up",
  "a//b",
  "/a",
  "a/",
  "a/../b",
  "./a",
  "a\\b",
  "%:a%b",
  "100%_sure",
  "a/...b",
  "a.b/c",
];

describe("the filter `paths` and conversations", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp();
    await app.talker("main");
    for (const key of KEYS) await app.append("main", key, [{ role: "user", text: `The zeppelin of ${key} lands.` }]);
  });
  afterAll(() => app.drop());

  const found = async (paths: string[]) => {
    const options = { minScore: 0, maxResults: 50, corpus: "sessions", paths };
    return (await app.search("zeppelin", options)).results.map((hit) => hit.path).sort();
  };

  test.each(KEYS)("%s is found by the path that its hits have, and nothing else is", async (key) => {
    expect(await found([sessionPath(key)])).toEqual([sessionPath(key)]);
  });

  test("a folder has what stands below it", async () => {
    expect(await found(["sessions/"])).toEqual(KEYS.map(sessionPath).sort());
    expect(await found(["sessions/%:"])).toEqual([]);
    expect(await found(["sessions/%:*"])).toHaveLength(7);
  });
});
