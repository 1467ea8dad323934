import { z } from "zod";
import { AppError } from "../base/errors.ts";
import { plainProblem } from "../base/plain-problem.ts";
import { nearest } from "../base/text/nearest.ts";
import { leavesOf } from "./schema-leaves.ts";

const MAX_PROBLEMS = 5;

/**
 * Parses a value with a schema. The error describes the first few problems, each with its path
 * below `path`.
 *
 * @param removed keys that the schema had once, by dotted path, with the reason or the replacement
 * @throws AppError `invalid_settings`; the sentence names keys, never values, which may be secrets
 */
export function parseStrictly<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: string,
  removed: ReadonlyMap<string, string> = NONE_REMOVED,
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => describe(issue, path));
  throw invalidSettings(
    problems.slice(0, MAX_PROBLEMS).map(({ text, unknown }) => {
      if (!unknown) return text;
      const reason = removed.get(join("", unknown));
      if (reason !== undefined) return `${join(path, unknown)} is no longer a setting: ${reason}`;
      return text + suggestion(schema, unknown);
    }),
    problems.length,
  );
}

const NONE_REMOVED: ReadonlyMap<string, string> = new Map();

/** The most settings below a group that a suggestion names. */
const MOST_SUGGESTED = 6;

/**
 * Returns a suggestion for an unknown key: the known key that is spelt almost alike, the only key of
 * this name elsewhere, or the keys of the group of this name.
 */
function suggestion(schema: z.ZodType, key: readonly PropertyKey[]): string {
  const known = leavesOf(z.toJSONSchema(schema, { unrepresentable: "any" }) as Leaf).map(([path]) => path);
  const elsewhere = known.filter((path) => path.split(".").at(-1) === key.at(-1));
  const found = nearest(join("", key), known) ?? (elsewhere.length === 1 ? elsewhere[0] : undefined);
  if (found !== undefined) return `, did you mean ${found}?`;
  const group = known.filter((path) =>
    path
      .split(".")
      .slice(0, -1)
      .includes(String(key.at(-1))),
  );
  if (group.length === 0) return "";
  const named = group.slice(0, MOST_SUGGESTED).join(", ");
  return `, did you mean one of ${named}${group.length > MOST_SUGGESTED ? ", …" : ""}?`;
}

interface Leaf {
  properties?: Record<string, Leaf>;
}

/**
 * Returns the error for a list of problems, of which it names the first few.
 *
 * @param count the number of all problems, if the list is cut
 */
export function invalidSettings(problems: readonly string[], count = problems.length): AppError {
  const more = count > MAX_PROBLEMS ? `; and ${count - MAX_PROBLEMS} more` : "";
  const named = problems.slice(0, MAX_PROBLEMS).map((problem) => problem.slice(0, 300));
  const text = `${named.join("; ")}${more}`;
  // A suggestion ends with a question mark.
  return new AppError("invalid_settings", `The settings are not valid. ${text}${text.endsWith("?") ? "" : "."}`);
}

interface Problem {
  text: string;
  /** The unknown key. */
  unknown?: PropertyKey[];
}

function describe(issue: z.core.$ZodIssue, path: string): Problem[] {
  const place = join(path, issue.path);
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ text: `${join(place, [key])}: unknown key`, unknown: [...issue.path, key] }));
  if (issue.code === "invalid_union") {
    const deepest = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0];
    if (deepest && deepest.path.length > 0) return describe(deepest, place);
  }
  return [{ text: `${place}: ${plainProblem(issue.message)}` }];
}

/** Returns `agents.list[0].id` for `agents.list` and `[0, "id"]`. */
export function join(path: string, parts: readonly PropertyKey[]): string {
  return parts.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    path,
  );
}
