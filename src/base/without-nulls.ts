import type { z } from "zod";
import { type Described, describeSchema } from "./describe-schema.ts";
import { isObject } from "./objects.ts";

/**
 * Returns a value without null in fields that the schema makes optional. Many clients write null
 * where they have no value. A null that the schema accepts stays. The rest of the
 * value is the same, and is not copied if nothing is removed.
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  const described = describeSchema(schema);
  return strip(described, value, described.$defs ?? {});
}

function strip(described: Described, value: unknown, named: Record<string, Described>): unknown {
  if (described.$ref !== undefined) return strip(resolved(described, named), value, named);
  if (Array.isArray(value)) {
    const { items } = listOf(described);
    return items ? mapped(value, (item) => strip(items, item, named)) : value;
  }
  if (!isObject(value)) return value;
  const either = objectsOf(described, named);
  return either.reduce<unknown>((left, one) => (isObject(left) ? stripFields(one, left, named) : left), value);
}

/** Returns the schema that a schema refers to, or the schema itself. An unknown reference describes nothing. */
function resolved(described: Described, named: Record<string, Described>): Described {
  return described.$ref === undefined ? described : (named[described.$ref.replace("#/$defs/", "")] ?? {});
}

/** Returns the schema itself, or the alternative of a union, that describes a list. */
function listOf(described: Described): Described {
  const either = described.anyOf ?? described.oneOf;
  return either?.find((one) => one.type === "array") ?? described;
}

/** Returns the schemas of objects that a value may have: the schema itself, or a union's. */
function objectsOf(described: Described, named: Record<string, Described>): Described[] {
  const schema = resolved(described, named);
  const either = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  return either ? either.flatMap((one) => objectsOf(one, named)) : schema.properties ? [schema] : [];
}

function stripFields(
  { properties = {}, required = [] }: Described,
  value: Record<string, unknown>,
  named: Record<string, Described>,
): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, inner] of Object.entries(value)) {
    const described = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (inner === null && described && !required.includes(name) && !takesNull(described, named)) {
      isChanged = true;
      continue;
    }
    const next = described ? strip(described, inner, named) : inner;
    if (next !== inner) isChanged = true;
    kept.push([name, next]);
  }
  return isChanged ? Object.fromEntries(kept) : value;
}

function takesNull(described: Described, named: Record<string, Described>): boolean {
  const { type, enum: values, anyOf, oneOf, const: only } = resolved(described, named);
  const either = anyOf ?? oneOf;
  if (either) return either.some((one) => takesNull(one, named));
  if (values) return values.includes(null);
  if (only !== undefined) return only === null;
  return type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
}

/** Maps a list; returns the same list if no item changes. */
function mapped(list: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [at, item] of list.entries()) {
    const next = map(item);
    if (next !== item) {
      changed ??= [...list];
      changed[at] = next;
    }
  }
  return changed ?? list;
}
