import { z } from "zod";
import { settingsSchema } from "./settings-schema.ts";

interface Described {
  description?: string;
  properties?: Record<string, Described>;
}

let known: Readonly<Record<string, string>> | undefined;

/** What each setting does, by its dotted path, in a sentence or two; "New index." where a change builds one. */
export function describeSettings(): Readonly<Record<string, string>> {
  known ??= Object.fromEntries(
    leavesOf(z.toJSONSchema(settingsSchema, { unrepresentable: "any" }) as Described).flatMap(
      ([path, { description }]) => (description === undefined ? [] : [[path, description]]),
    ),
  );
  return known;
}

/** Every value that a JSON schema describes, with its dotted path, in the schema's order. */
export function leavesOf<Schema extends { properties?: Readonly<Record<string, Schema>> }>(
  schema: Schema,
  path = "",
): [string, Schema][] {
  if (!schema.properties) return [[path, schema]];
  return Object.entries(schema.properties).flatMap(([key, child]) => leavesOf(child, path ? `${path}.${key}` : key));
}
