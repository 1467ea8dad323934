import { z } from "zod";
import { leavesOf } from "./schema-leaves.ts";
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
