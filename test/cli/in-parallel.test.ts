import { expect, test } from "vitest";
import { inParallel } from "../../src/cli/shell/in-parallel.ts";

test("after a failure no job starts, and those under way end before it is thrown", async () => {
  const log: string[] = [];
  const slow = Promise.withResolvers<void>();
  const jobs = [
    async () => {
      await slow.promise;
      log.push("slow ended");
    },
    async () => {
      // Lets the slow job end only after this one failed.
      setImmediate(slow.resolve);
      throw new Error("first");
    },
    async () => void log.push("started too late"),
  ];
  await expect(inParallel(jobs, 2).finally(() => log.push("thrown"))).rejects.toThrow("first");
  expect(log).toEqual(["slow ended", "thrown"]);
});

test("jobs start in order, at most as many at once as allowed", async () => {
  const started: number[] = [];
  let running = 0;
  const jobs = Array.from({ length: 20 }, (_, i) => async () => {
    started.push(i);
    expect(++running).toBeLessThanOrEqual(3);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  });
  await inParallel(jobs, 3);
  expect(started).toEqual(Array.from({ length: 20 }, (_, i) => i));
});
