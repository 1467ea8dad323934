import { z } from "zod";
import { settingsSchema } from "./settings-schema.ts";

interface Described {
  description?: string;
  properties?: Record<string, Described>;
}

let known: Readonly<Record<string, string>> | undefined;

/** What each setting does, by its dotted path, in a sentence or two; "New index." where a change builds one. */
export function describeSettings(): Readonly<Record<string, string>> {
  known ??= Object.fromEntries(leavesOf(z.toJSONSchema(settingsSchema, { unrepresentable: "any" }) as Described, ""));
  return known;
}

function leavesOf({ description, properties }: Described, path: string): [string, string][] {
  if (!properties) return description === undefined ? [] : [[path, description]];
  return Object.entries(properties).flatMap(([key, child]) => leavesOf(child, path ? `${path}.${key}` : key));
}
