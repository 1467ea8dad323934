import { expect, test } from "vitest";
import { MAX_SAMPLED, type SharedProfile } from "../../src/db/agent/candidates/shared-profile.ts";
import { SharedProfiles } from "../../src/service/search/shared-profiles.ts";

/**
 * Makes a reader of the profile of one shared part, which takes 10 ms to measure.
 *
 * @returns the reader, with the time and the number of measurements
 */
function partOf(chunks: number) {
  const done = { now: 0, count: 0 };
  const profiles = new SharedProfiles(() => done.now);
  const read = (changes: number) =>
    profiles.read("part", String(changes), async (): Promise<SharedProfile> => {
      done.count++;
      done.now += 10;
      return { chunks, averageLength: 1, languages: [], sample: [] };
    });
  return { read, done };
}

test("a small shared part is measured whenever its index has changed", async () => {
  const { read, done } = partOf(MAX_SAMPLED);
  for (const changes of [1, 1, 2, 3]) await read(changes);
  expect(done.count).toBe(3);
});

test("a large one that changes all the time is measured for a fiftieth of the time", async () => {
  const { read, done } = partOf(MAX_SAMPLED + 1);
  for (let changes = 0; done.now < 10_000; done.now++) await read(changes++);
  expect(done.count).toBe(20);
});

test("searches that need the same measurement at the same time share it", async () => {
  const { read, done } = partOf(10);
  await Promise.all(Array.from({ length: 24 }, () => read(1)));
  expect(done.count).toBe(1);
});

test("an index that changes while it is measured is not measured by several searches at once", async () => {
  const profiles = new SharedProfiles(() => 0);
  const gates: PromiseWithResolvers<SharedProfile>[] = [];
  const read = (changes: number) =>
    profiles.read("part", String(changes), () => {
      const gate = Promise.withResolvers<SharedProfile>();
      gates.push(gate);
      return gate.promise;
    });
  const reading = [1, 2, 3].map(read);
  expect(gates).toHaveLength(1);
  const profile = { chunks: MAX_SAMPLED + 1, averageLength: 1, languages: [], sample: [] };
  gates[0]?.resolve(profile);
  await reading[0];
  // The measurement took no time by this clock, so it is not recent. So the next read measures
  // again. Reads that arrive during this measurement get the known profile.
  const later = read(4);
  gates[1]?.resolve(profile);
  await Promise.all([...reading, later]);
  expect(gates).toHaveLength(2);
});

test("a measurement that fails fails for the search that asked for it, and the next one measures", async () => {
  const profiles = new SharedProfiles(() => 0);
  await expect(profiles.read("part", "1", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  const profile = { chunks: 1, averageLength: 1, languages: [], sample: [] };
  expect(await profiles.read("part", "1", async () => profile)).toBe(profile);
});
