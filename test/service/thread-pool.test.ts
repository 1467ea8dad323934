import { expect, test } from "vitest";
import { startThreadPool } from "../../src/service/core/thread-pool.ts";

test("a thread that fails when its task is over, as out of memory after it was given up, does not end the process", async () => {
  const pool = startThreadPool(1);
  // What the pool does with such a fault; an emitter throws those that nobody listens for.
  expect(() => pool.emit("error", new Error("Worker terminated due to reaching memory limit"))).not.toThrow();
  await pool.destroy();
});
