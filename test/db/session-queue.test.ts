import { expect, test } from "vitest";
import { createSessionQueue } from "../../src/db/session-queue.ts";

/** Starts tasks in this order while the session is taken, and returns the order in which they ran. */
async function order(names: readonly string[]): Promise<string[]> {
  const queue = createSessionQueue();
  const first = Promise.withResolvers<void>();
  const ran: string[] = [];
  const taken = queue.run(() => first.promise, false);
  const all = names.map((name) => queue.run(async () => void ran.push(name), name.startsWith("read")));
  first.resolve();
  await Promise.all([taken, ...all]);
  return ran;
}

test("reads overtake writes, and each kind keeps its order", async () => {
  expect(await order(["write 1", "write 2", "read 1", "write 3", "read 2"])).toEqual([
    ...["read 1", "read 2", "write 1", "write 2", "write 3"],
  ]);
});

test("a write waits for eight reads at most", async () => {
  const reads = Array.from({ length: 20 }, (_, i) => `read ${i}`);
  const ran = await order(["write 1", "write 2", ...reads]);
  expect([ran.indexOf("write 1"), ran.indexOf("write 2")]).toEqual([8, 17]);
});

test("the session is given on after a task that failed, and runs one task at a time", async () => {
  const queue = createSessionQueue();
  let running = 0;
  const task = async () => {
    expect(++running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  };
  const failed = queue.run(() => Promise.reject(new Error("no")), false);
  const rest = [queue.run(task, true), queue.run(task, false), queue.run(task, true)];
  await expect(failed).rejects.toThrow("no");
  await Promise.all(rest);
  await queue.run(task, false);
});
