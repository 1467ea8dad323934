/** The deepest level of a value whose texts are found. */
const MAX_DEPTH = 32;

/**
 * Returns the texts of a value at these paths, each behind the name of its field: `city: Oslo`. A
 * path is LangGraph's: `title`, `author.name`, `chapters[*].text`, `authors[0]`, `notes[-1]`, and `$`
 * for the whole value.
 */
export function textsAt(value: unknown, paths: readonly string[]): string[] {
  return paths.flatMap((path) => follow(value, stepsOf(path), ""));
}

function stepsOf(path: string): string[] {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  return steps[0] === "$" ? steps.slice(1) : steps;
}

function follow(value: unknown, steps: readonly string[], name: string): string[] {
  const [step, ...rest] = steps;
  if (step === undefined) return leaves(value, name, 0);
  if (Array.isArray(value)) {
    if (step === "*") return value.flatMap((one) => follow(one, rest, name));
    return /^-?\d+$/.test(step) ? follow(value.at(Number(step)), rest, name) : [];
  }
  if (!isObject(value)) return [];
  if (step === "*") return Object.entries(value).flatMap(([key, one]) => follow(one, rest, key));
  return Object.hasOwn(value, step) ? follow(value[step], rest, step) : [];
}

function leaves(value: unknown, name: string, depth: number): string[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    // A text of the service has neither a NUL nor half of a surrogate pair.
    const text = String(value).replaceAll("\u0000", " ").toWellFormed().trim();
    return text === "" ? [] : [name === "" ? text : `${name.replaceAll("\u0000", " ").toWellFormed()}: ${text}`];
  }
  if (depth === MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((one) => leaves(one, name, depth + 1));
  return isObject(value) ? Object.entries(value).flatMap(([key, one]) => leaves(one, key, depth + 1)) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
