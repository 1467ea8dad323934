import { expect, test } from "vitest";
import { startThreadPool } from "../../src/service/core/thread-pool.ts";

test("a thread that fails when its task is over, as out of memory after it was given up, does not end the process", async () => {
  const pool = startThreadPool(1);
  // The pool emits such a fault as an error event, and an emitter throws an error event that has no
  // listener.
  expect(() => pool.emit("error", new Error("Worker terminated due to reaching memory limit"))).not.toThrow();
  await pool.destroy();
});
