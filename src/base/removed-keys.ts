import { isObject, valueAt } from "./objects.ts";

/**
 * The settings that earlier releases had, by dotted path, with the reason or the replacement.
 *
 * A request or a file that sets one is refused with that sentence, because its author expects an
 * effect. A stored layer of settings or an archive may still have one from earlier, so there it is
 * dropped (`withoutRemovedSettings`).
 */
export const REMOVED_SETTINGS: ReadonlyMap<string, string> = new Map([
  ["facts.recall.corpus", "set facts.recall.maxQuotes to 0 to recall facts only"],
  [
    "facts.capture.languages",
    "rules read English, and explicit requests in every language; facts.capture.extract lets a chat model read the rest",
  ],
  ["facts.ingest.overlap", "a piece always repeats 100 characters of the piece before"],
  [
    "facts.duplicateDistance",
    "facts with the same names and numbers are always duplicates within the cosine distance 0.03",
  ],
]);

/** The environment variables that earlier releases had, with the reason. */
export const REMOVED_VARIABLES: ReadonlyMap<string, string> = new Map([
  ["RECOLLECT_PREPARE_THREADS", "the number of threads follows the number of processors and the memory"],
  ["RECOLLECT_PREPARE_TIMEOUT_MS", "the time limit for chunking one file is always 60 seconds"],
]);

/**
 * Returns a sentence for each removed variable that an environment sets. An empty variable counts
 * as unset.
 */
export function removedVariablesIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return [...REMOVED_VARIABLES].flatMap(([name, reason]) =>
    env[name] ? [`${name} is no longer a variable: ${reason}`] : [],
  );
}

/**
 * Returns a stored layer of settings without removed settings. Sections that become empty stay. A
 * layer without removed settings is returned unchanged.
 */
export function withoutRemovedSettings<T>(layer: T): T {
  let rest: unknown = layer;
  for (const path of REMOVED_SETTINGS.keys())
    if (valueAt(rest, path) !== undefined) rest = withoutKey(rest, path.split("."));
  return rest as T;
}

function withoutKey(value: unknown, [key = "", ...deeper]: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const { [key]: child, ...rest } = value;
  return deeper.length === 0 ? rest : { ...value, [key]: withoutKey(child, deeper) };
}
