import type { z } from "zod";
import { type Described, describeSchema } from "./describe-schema.ts";

/**
 * Returns the most JSON values that a schema's input can have, the input itself included; undefined
 * when the schema sets no limit, because it allows free or unknown keys or a list without a
 * greatest length.
 */
export function mostValuesOf(schema: z.ZodType): number | undefined {
  const described = describeSchema(schema);
  const most = sizeOf(described, described.$defs ?? {});
  return Number.isFinite(most) ? most : undefined;
}

function sizeOf(one: Described, named: Record<string, Described>): number {
  const size = (inner: Described) => sizeOf(inner, named);
  if (one.$ref !== undefined) return size(named[one.$ref.replace("#/$defs/", "")] ?? {});
  const either = one.anyOf ?? one.oneOf;
  if (either) return Math.max(...either.map(size));
  if (one.allOf) return one.allOf.reduce((sum, part) => sum + size(part), 0);
  if (one.type === "object") {
    if (one.additionalProperties !== false) return Number.POSITIVE_INFINITY;
    return Object.values(one.properties ?? {}).reduce((sum, property) => sum + size(property), 1);
  }
  if (one.type === "array") {
    if (one.prefixItems) return one.prefixItems.reduce((sum, item) => sum + size(item), 1);
    return 1 + (one.maxItems ?? Number.POSITIVE_INFINITY) * size(one.items ?? {});
  }
  return one.type === undefined && !("const" in one) && !("enum" in one) ? Number.POSITIVE_INFINITY : 1;
}
