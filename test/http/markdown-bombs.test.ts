import { afterAll, beforeAll, expect, test } from "vitest";
import { processorTime } from "../support/processor-time.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/** 7.6 KB, from which the parser's own rule makes 400,000 cells. */
const BOMB = `${"|".repeat(257)}\n${"|-".repeat(256)}|\n${"heron\n".repeat(3)}${"a\n".repeat(252)}\n`.repeat(6);
const PROSE = "The heron stands at the pond.\n".repeat(Math.ceil(BOMB.length / 30));
const FILES = 15;
const SEARCHES = 15;

let app: TestApp;
let attacker: string;
beforeAll(async () => {
  app = await startTestApp({ worker: false, embedder: undefined });
  attacker = await app.key(["tenant"], { tenantId: await app.tenant("attacker") });
  await app.put("pond.md", "The heron waits for frogs.");
});
afterAll(() => app.drop());

/**
 * Writes files of one tenant while another searches.
 *
 * @returns milliseconds of processor time of the event loop
 */
async function attack(name: string, content: string): Promise<number> {
  const spent = processorTime();
  const writes = Array.from({ length: FILES }, (_, i) =>
    app.call("PUT", `/v1/agents/main/files/${name}${i}.md`, { content }, attacker),
  );
  for (let i = 0; i < SEARCHES; i++) {
    const { results } = await app.search(`heron frogs ${name} ${i}`);
    expect(results[0]?.path).toBe("pond.md");
  }
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array(FILES).fill(200));
  return spent();
}

test("bombs of tables cost the event loop what other files of their size do, and are found all the same", async () => {
  await attack("warm", PROSE);
  const prose = await attack("prose", PROSE);
  const bombs = await attack("bomb", BOMB);
  // If the event loop made the cells of the tables, the bombs would cost four seconds more, ten
  // times as much.
  expect(bombs).toBeLessThan(3 * prose + 500);
  const found = await app.call<{ results: { path: string }[] }>(
    "POST",
    "/v1/agents/main/tools/memory_search",
    { query: "heron", maxResults: 50 },
    attacker,
  );
  expect(found.body.results.some(({ path }) => path.startsWith("bomb"))).toBe(true);
});
