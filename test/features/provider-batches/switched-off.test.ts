import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeBatches, startFakeBatches } from "../../support/fake-batches.ts";
import { type ProviderApp, startProviderApp } from "../../support/provider-agent.ts";
import { type BatchApp, startBatchApp } from "./batch-agent.ts";

const CHUNKS = 210;

let fake: FakeBatches;
let whole: BatchApp;
/** A process without the feature, on the same database. */
let without: ProviderApp;
beforeAll(async () => {
  fake = await startFakeBatches("openai");
  whole = await startBatchApp(fake, "openai");
  without = await startProviderApp(fake, "openai", {
    on: whole.app,
    env: { RECOLLECT_FEATURES: "-provider-batches" },
  });
});
afterAll(async () => {
  await without.app.drop();
  await whole.app.drop();
  await fake.close();
});

test("without the feature, agents with batches are embedded by single requests", async () => {
  await whole.fill("many", CHUNKS);
  await without.embed("many");
  expect([await without.pending("many"), await without.wrong("many"), fake.batches]).toEqual([0, [], []]);
});

test("texts in an open batch do not wait for it, and an erasure deletes the batch's rows", async () => {
  await whole.fill("open", CHUNKS);
  await whole.embed("open");
  await whole.advance("open");
  expect([fake.batches.length, await whole.pending("open")]).toEqual([1, CHUNKS]);
  await without.embed("open");
  expect([await without.pending("open"), await without.wrong("open")]).toEqual([0, []]);
  const { body } = await without.app.call<{ counts: Record<string, number> }>("DELETE", "/v1/agents/open");
  expect([body.counts.batches, await whole.rows("open")]).toEqual([1, []]);
  expect(fake.batches.map(({ outcome }) => outcome)).toEqual(["running"]);
});

test("a process that has the feature again ends a batch whose texts were embedded meanwhile", async () => {
  await whole.fill("again", CHUNKS);
  await whole.embed("again");
  await whole.advance("again");
  await without.embed("again");
  fake.finish("completed");
  await whole.advance("again");
  expect([await whole.pending("again"), await whole.wrong("again"), await whole.rows("again")]).toEqual([0, [], []]);
});
