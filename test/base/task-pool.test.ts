import { describe, expect, test } from "vitest";
import { createTaskPool } from "../../src/base/task-pool.ts";

describe("a task pool", () => {
  test("waits for room, and for all", async () => {
    const pool = createTaskPool();
    const tasks = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ended: string[] = [];
    pool.start(() => (tasks[0] as (typeof tasks)[0]).promise);
    pool.start(() => (tasks[1] as (typeof tasks)[0]).promise);
    await pool.room(3);
    const two = pool.room(2).then(() => ended.push("room"));
    const all = pool.drain().then(() => ended.push("all"));
    await Promise.resolve();
    expect(ended).toEqual([]);
    tasks[1]?.resolve();
    await two;
    expect(ended).toEqual(["room"]);
    tasks[0]?.resolve();
    await all;
    expect(ended).toEqual(["room", "all"]);
  });

  test("tells the first failure to whoever asks for room, and drains nevertheless", async () => {
    const pool = createTaskPool();
    const held = Promise.withResolvers<void>();
    let drained = false;
    pool.start(() => held.promise);
    pool.start(() => Promise.reject(new Error("first")));
    await expect(pool.room(2)).rejects.toThrow("first");
    await expect(pool.room(9)).rejects.toThrow("first");
    const draining = pool.drain().then(() => {
      drained = true;
    });
    expect(drained).toBe(false);
    held.resolve();
    await draining;
    expect(drained).toBe(true);
  });
});
