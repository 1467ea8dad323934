import type { z } from "zod";
import { AppError } from "../base/errors.ts";

const MAX_PROBLEMS = 5;

/**
 * Parses with a schema. The error names the path of each problem, from `path` on.
 *
 * @throws AppError `invalid_settings`; the sentence names keys, never values, which may be secrets
 */
export function parseStrictly<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => describe(issue, path));
  throw invalidSettings(problems);
}

/** The error for a list of problems, of which it names the first few. */
export function invalidSettings(problems: readonly string[]): AppError {
  const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : "";
  return new AppError(
    "invalid_settings",
    `The settings are not valid. ${problems
      .slice(0, MAX_PROBLEMS)
      .map((problem) => problem.slice(0, 300))
      .join("; ")}${more}.`,
  );
}

function describe(issue: z.core.$ZodIssue, path: string): string[] {
  const place = join(path, issue.path);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => `${join(place, [key])}: unknown key`);
  if (issue.code === "invalid_union") {
    const deepest = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0];
    if (deepest && deepest.path.length > 0) return describe(deepest, place);
  }
  return [`${place}: ${issue.message}`];
}

/** `agents.list[0].id` out of `agents.list` and `[0, "id"]`. */
export function join(path: string, parts: readonly PropertyKey[]): string {
  return parts.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    path,
  );
}
