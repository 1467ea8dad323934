import { expect, test } from "vitest";
import { z } from "zod";
import { plainProblem } from "../../src/base/plain-problem.ts";

/** What zod says about a value, in plain words. */
function problemOf(schema: z.ZodType, value: unknown): string {
  return plainProblem(schema.safeParse(value).error?.issues[0]?.message ?? "no problem");
}

test.each([
  [z.string(), undefined, "is missing"],
  [z.string(), 5, "must be a text, not a number"],
  [z.string(), null, "must be a text, not null"],
  [z.object({}), "anna", "must be an object, not a text"],
  [z.object({}), [], "must be an object, not a list"],
  [z.array(z.string()), {}, "must be a list, not an object"],
  [z.boolean(), "yes", "must be true or false, not a text"],
  [z.coerce.number(), "abc", "must be a number"],
  [z.int(), 1.5, "must be a whole number"],
  [z.number().min(1), 0, "must be 1 or more"],
  [z.number().positive(), 0, "must be more than 0"],
  [z.number().max(1), 7, "must be 1 or less"],
  [z.number().lt(1), 1, "must be less than 1"],
  [z.string().min(1), "", "must not be empty"],
  [z.string().min(3), "a", "must have at least 3 characters"],
  [z.string().max(2), "abc", "must have at most 2 characters"],
  [z.array(z.string()).min(1), [], "must not be empty"],
  [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 items"],
  [z.iso.date(), "yesterday", "must be a day, such as 2026-05-18"],
  [z.uuid(), "x", "must be a UUID"],
  [z.strictObject({}), { a: 1, b: 2 }, 'has no field "a", "b"'],
  [z.enum(["a", "b"]), "c", 'must be one of "a", "b"'],
  [z.string().refine(() => false, "must be a path"), "x", "must be a path"],
])("%# the problem of a value is worded for its sender", (schema, value, problem) => {
  expect(problemOf(schema, value)).toBe(problem);
});
