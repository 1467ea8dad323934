import { describe, expect, test } from "vitest";
import { z } from "zod";
import { mostValuesOf } from "../../src/base/schema-size.ts";

describe("the most values that a schema's input has", () => {
  test("are those of all its fields, its longest lists and its largest alternatives", () => {
    const item = z.strictObject({
      path: z.string(),
      at: z.iso
        .datetime()
        .transform((at) => new Date(at))
        .optional(),
    });
    expect(mostValuesOf(z.strictObject({}))).toBe(1);
    expect(mostValuesOf(item)).toBe(3);
    expect(mostValuesOf(z.strictObject({ put: z.array(item).max(100).default([]), kind: z.literal("a") }))).toBe(303);
    expect(mostValuesOf(z.union([z.string(), z.array(z.int()).max(9)]))).toBe(10);
    expect(mostValuesOf(z.strictObject({ range: z.tuple([z.int(), z.int()]).nullish() }))).toBe(4);
    expect(
      mostValuesOf(
        z.discriminatedUnion("k", [item.extend({ k: z.literal("a") }), item.extend({ k: z.literal("b"), x: z.int() })]),
      ),
    ).toBe(5);
  });

  test("are open where keys are free, a value may be anything, or a list has no end", () => {
    for (const schema of [
      z.record(z.string(), z.unknown()),
      z.object({ a: z.string() }),
      z.looseObject({}),
      z.strictObject({ a: z.unknown() }),
      z.strictObject({ a: z.array(z.string()) }),
    ])
      expect(mostValuesOf(schema)).toBeUndefined();
  });
});
