import { afterAll, beforeAll, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

const YEAR_MS = 366 * 86_400_000;
let app: FactApp;
let aheadMs = 0;
beforeAll(async () => {
  app = await startFactApp({ embedder: undefined, worker: false });
  const deps = app.runtime.deps as { clock: () => Date };
  deps.clock = () => new Date(Date.now() + aheadMs);
});
afterAll(async () => {
  await app?.drop();
});

test("facts that were stored while the clock was years ahead are found when it is right again, and end as any", async () => {
  await app.store("main", { text: "Mina lives in Bern", key: "user.city" });
  aheadMs = 10 * YEAR_MS;
  await app.store("main", { text: "Mina lives in Rome", key: "user.city" });
  await app.store("main", { text: "Mina plays the cello" });
  aheadMs = 0;
  const listed = async () => (await app.list("main")).map(({ text }) => text).sort();
  expect(await listed()).toEqual(["Mina lives in Rome", "Mina plays the cello"]);
  await app.store("main", { text: "Mina lives in Oslo", key: "user.city" });
  await app.store("main", { text: "Mina keeps two goats" });
  const held = ["Mina keeps two goats", "Mina lives in Oslo", "Mina plays the cello"];
  expect(await listed()).toEqual(held);
  const { results } = await app.search("Mina", { corpus: "facts" });
  expect(results.map(({ snippet }) => snippet.split("\n")[0]).sort()).toEqual(held);
  const { body } = await app.call<{ facts: { text: string }[] }>("POST", "/v1/agents/main/facts/search", {
    query: "Mina",
  });
  expect(body.facts.map(({ text }) => text).sort()).toEqual(held);
});

test("a fact that is said to begin in the future has not begun", async () => {
  const validFrom = new Date(Date.now() + YEAR_MS);
  await app.store("later", { text: "Mina works at Lumen", validFrom });
  expect(await app.list("later")).toEqual([]);
});
