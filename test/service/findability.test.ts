import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/** The query, and the one note that contains it. */
const NEEDLES: [string, string, string][] = [
  ["useState", "hooks.md", "The counter keeps its number with useState and nothing else."],
  ["ERR_CONNECTION_REFUSED", "errors.md", "After the move the browser said ERR_CONNECTION_REFUSED until noon."],
  ["light.bedroom_lamp", "home.md", "Dim light.bedroom_lamp at ten in the evening."],
  ["src/memory/hybrid.ts", "code.md", "The ranking was rewritten in src/memory/hybrid.ts last week."],
  ["v2.3.1", "release.md", "The fix went out with v2.3.1 on Tuesday."],
  ["大阪", "japan.md", "来週は大阪の倉庫を訪問する予定です。"],
  ["数据库", "china.md", "我们上周把数据库迁移到了新的服务器。"],
  ["café", "liege.md", "They met in the café by the station."],
];

/** Notes that contain every part of the needles, but no needle. */
const DISTRACTORS = [
  "Use the state machine; the state is in use. User states differ.",
  "The connection was slow. Err on the safe side: refused parcels are returned.",
  "The bedroom has a lamp and a light. A lamp in the hall is no light for the bedroom.",
  "The memory of the hybrid car, its source and its type: src and ts are short words.",
  "Version 2 has 3 parts, 1 of them new. v2.3.0 and v2.31 are others.",
  "東京と神戸の倉庫、大きい坂道、大雨の阪神電車について。",
  "数字和资料要保存在仓库里,数百个文件。",
  "A cafeteria by the station, a coffee and a cake.",
];

describe("among ten thousand other chunks", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    for (let from = 0; from < 10_000; from += 100) {
      const put = Array.from({ length: 100 }, (_, i) => {
        const n = from + i;
        return { path: `other/${n}.md`, content: `Note ${n}. ${DISTRACTORS[n % DISTRACTORS.length]} Entry ${n * 7}.` };
      });
      await app.call("POST", "/v1/agents/main/files", { put });
    }
    await app.call("POST", "/v1/agents/main/files", { put: NEEDLES.map(([, path, content]) => ({ path, content })) });
    await app.embedded();
  });
  afterAll(() => app.drop());

  test.each([...NEEDLES, ["cafe", "liege.md", ""] as const])("%s is found first", async (query, path) => {
    const { results, mode } = await app.search(query);
    expect(mode).toBe("hybrid");
    expect(results[0]?.path).toBe(path);
  });
});
