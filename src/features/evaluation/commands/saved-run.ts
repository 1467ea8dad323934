import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { AppError } from "../../../base/errors.ts";
import { MEASURE_NAMES, type MeasureName } from "../../../relevance/measures/measures.ts";
import type { MeasuredRun } from "./summarise.ts";

/**
 * The first field of every saved file. It tells the file from other JSON files and from files of a
 * later form.
 */
const FORM = "recollect-eval-1";
const MOST_BYTES = 200_000_000;

const fraction = z.number().min(0).max(1);
const measures = z.object(
  Object.fromEntries(MEASURE_NAMES.map((name) => [name, fraction])) as Record<MeasureName, typeof fraction>,
);
const saved = z.object({
  form: z.literal(FORM),
  name: z.string(),
  savedAt: z.string(),
  runs: z.array(z.object({ name: z.string(), queries: z.array(z.object({ id: z.string(), measures })).max(100_000) })),
});

/** The part of a run that a later run is compared with: each query's measures. */
export type SavedRun = z.infer<typeof saved>;

/** Returns the text of the file that `--save` writes. */
export function savedText(name: string, savedAt: string, runs: readonly MeasuredRun[]): string {
  const body: SavedRun = {
    form: FORM,
    name,
    savedAt,
    runs: runs.map((run) => ({ name: run.name, queries: run.queries.map(({ id, measures }) => ({ id, measures })) })),
  };
  return `${JSON.stringify(body)}\n`;
}

/** @throws AppError `invalid_request` when the file is not one that `--save` wrote */
export async function readSavedRun(path: string, shown: string): Promise<SavedRun> {
  const wrong = (cause: unknown) =>
    new AppError("invalid_request", `${shown} is not a file that recollect eval --save wrote.`, { cause });
  try {
    if ((await stat(path)).size > MOST_BYTES) throw new Error("too large");
    return saved.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    throw wrong(error);
  }
}
