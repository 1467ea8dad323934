import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type KeywordAgent } from "../support/keyword-agent.ts";

const DISTRACTORS = [
  "How to use the state of a machine, and which state to use",
  "ERR: the connection was refused, connection refused again",
  "The lamp in the bedroom gives light, a bedroom lamp",
  "src holds ts files; memory of a hybrid: src memory hybrid ts",
  "Version v2 of 3 and 1, also v2.3 and 3.1, v2.31, v1.3.1",
  "foo, bar, and a bar for foo",
  "東 京 に 行 く。京東の店",
  "中 文 检 索 系 统",
  "A coffee house, caffe latte, cafés everywhere",
];

const NEEDLES = {
  useState: "The hook useState keeps a value between renders",
  ERR_CONNECTION_REFUSED: "Chrome shows net::ERR_CONNECTION_REFUSED when the port is closed",
  "light.bedroom_lamp": "Turn off light.bedroom_lamp at ten",
  "src/memory/hybrid.ts": "The weights are set in src/memory/hybrid.ts near the top",
  "v2.3.1": "Deployed v2.3.1 on Friday",
  "foo-bar": "The package foo-bar is pinned",
  東京: "来週は東京に行きます",
  检索: "我们使用混合检索技术",
};

let database: TestDatabase;
let agent: KeywordAgent;
let needles: Map<string, string>;
beforeAll(async () => {
  database = await openTestDatabase();
  agent = await createKeywordAgent(database.db, "findable");
  await agent.add(Array.from({ length: 10_000 }, (_, n) => `${DISTRACTORS[n % DISTRACTORS.length]} note ${n}`));
  const ids = await agent.add(Object.values(NEEDLES));
  needles = new Map(Object.keys(NEEDLES).map((name, index) => [name, ids[index] ?? ""]));
  await agent.count();
});
afterAll(() => database.drop());

describe("among 10,000 chunks that have its parts", () => {
  test.each(Object.keys(NEEDLES))("%s is found first", async (name) => {
    expect((await agent.find(name))[0]?.chunkId).toBe(needles.get(name));
  });

  test.each([
    ["usestate", "useState"],
    ["err_connection_refused", "ERR_CONNECTION_REFUSED"],
    ["why do I get ERR_CONNECTION_REFUSED?", "ERR_CONNECTION_REFUSED"],
    ["`light.bedroom_lamp`", "light.bedroom_lamp"],
    ["hybrid.ts", "src/memory/hybrid.ts"],
    ["src\\memory\\hybrid.ts", "src/memory/hybrid.ts"],
    ["2.3.1", "v2.3.1"],
    ["foo_bar", "foo-bar"],
    ["fooBar", "foo-bar"],
    ["混合检索", "检索"],
  ])("%s finds the chunk with %s first", async (query, name) => {
    expect((await agent.find(query))[0]?.chunkId).toBe(needles.get(name));
  });
});

describe.each(["english", "simple", "french", "german", "spanish"])("accents in %s", (language) => {
  test("a word is found with and without them, and counts once", async () => {
    const accents = await createKeywordAgent(database.db, `accents_${language}`, language);
    const [plain, accented] = await accents.add(["the cafe opened", "the café opened", "the bar opened"]);
    for (const query of ["cafe", "café", "CAFÉ", "cafe\u0301"]) {
      const found = await accents.find(query);
      expect(found.map((hit) => hit.chunkId).sort()).toEqual([plain, accented].sort());
    }
    const [first, second] = await accents.find("café opened");
    expect(first?.score).toBeLessThan((second?.score ?? 0) * 2);
  });
});

test("one character of Chinese or Japanese is a query", async () => {
  const [id] = await agent.add(["私の猫が寝る"]);
  expect((await agent.find("猫"))[0]?.chunkId).toBe(id);
  expect((await agent.find("猫は"))[0]?.chunkId).toBe(id);
});
