import { z } from "zod";
import { leavesOf } from "./schema-leaves.ts";
import { settingsSchema } from "./settings-schema.ts";

interface Described {
  description?: string;
  properties?: Record<string, Described>;
}

let known: Readonly<Record<string, string>> | undefined;

/**
 * Returns the description of each setting, a sentence or two, by its dotted path. "New index."
 * marks settings whose change builds a new index.
 */
export function describeSettings(): Readonly<Record<string, string>> {
  known ??= Object.fromEntries(
    leavesOf(z.toJSONSchema(settingsSchema, { unrepresentable: "any" }) as Described).flatMap(
      ([path, { description }]) => (description === undefined ? [] : [[path, description]]),
    ),
  );
  return known;
}
