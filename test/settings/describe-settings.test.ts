import { expect, test } from "vitest";
import { describeSettings } from "../../src/settings/describe-settings.ts";
import { settingsSchema } from "../../src/settings/settings-schema.ts";

const { descriptions, shapes } = describeSettings();

test("each setting has a description and a shape", () => {
  expect(Object.keys(shapes).length).toBeGreaterThan(50);
  expect(Object.keys(shapes)).toEqual(Object.keys(descriptions));
});

test("a shape says what a setting may be, what it is by default, and who may set it", () => {
  const tenant = { newIndex: false, setBy: "tenant" };
  expect(shapes["query.maxResults"]).toEqual({ ...tenant, type: "integer", minimum: 1, maximum: 100, default: 6 });
  expect(shapes["query.hybrid.enabled"]).toEqual({ ...tenant, type: "switch", default: true });
  expect(shapes["query.minScore"]).toEqual({
    ...tenant,
    type: "number",
    values: ["auto"],
    minimum: 0,
    maximum: 1,
    default: "auto",
  });
  expect(shapes.sources).toMatchObject({ ...tenant, type: "list", values: ["memory", "sessions", "facts"] });
  expect(shapes["chunking.tokens"]).toMatchObject({ type: "integer", newIndex: true, default: 400 });
  expect(shapes["query.hyde.model"]).toEqual({ ...tenant, type: "text" });
  expect(shapes.provider).toMatchObject({ type: "choice", newIndex: true, default: "auto" });
  expect(shapes["remote.baseUrl"]).toMatchObject({ type: "text", setBy: "operator" });
  expect(shapes["remote.headers"]).toMatchObject({ type: "texts", setBy: "file" });
});

test("a default is a value that the schema accepts, within the limits of its shape", () => {
  expect(settingsSchema.safeParse({}).success).toBe(true);
  for (const [path, { default: value, minimum = Number.NEGATIVE_INFINITY, maximum, values }] of Object.entries(
    shapes,
  )) {
    if (typeof value === "number")
      expect([path, value >= minimum && value <= (maximum ?? value)]).toEqual([path, true]);
    if (typeof value === "string" && values) expect(values, path).toContain(value);
  }
});
