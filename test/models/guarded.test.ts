import { expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { createModelGuard } from "../../src/models/model-guard.ts";

test("a server that failed five times in a row is left alone, then tried once", async () => {
  let now = 0;
  let asked = 0;
  const guard = createModelGuard(() => now);
  const fail = () => guard(async () => Promise.reject(new AppError("model_unavailable", `${asked++}`)));
  for (let i = 0; i < 5; i++) await expect(fail()).rejects.toThrow(`${i}`);
  await expect(fail()).rejects.toThrow("4 After repeated failures it is tried again in a moment.");
  expect(asked).toBe(5);
  now = 30_001;
  expect(await guard(async () => "back")).toBe("back");
  await expect(fail()).rejects.toThrow("5");
});

test("a refusal does not count as a failure", async () => {
  const guard = createModelGuard();
  for (let i = 0; i < 8; i++)
    await expect(guard(async () => Promise.reject(new AppError("model_rejected", "no")))).rejects.toThrow("no");
  expect(await guard(async () => 1)).toBe(1);
});

test("a caller's own deadline is no failure of the model", async () => {
  let now = 0;
  const guard = createModelGuard(() => now);
  const late = () => guard(async () => Promise.reject(new DOMException("late", "TimeoutError")));
  for (let i = 0; i < 8; i++) await expect(late()).rejects.toThrow("late");
  expect(await guard(async () => "still asked")).toBe("still asked");
  // A timeout does not count as the answer to a probe either.
  for (let i = 0; i < 5; i++)
    await guard(async () => Promise.reject(new AppError("model_unavailable", "down"))).catch(() => undefined);
  now = 30_001;
  await expect(late()).rejects.toThrow("late");
  expect(await guard(async () => "back")).toBe("back");
});
