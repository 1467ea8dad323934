import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

export const QUESTION_KINDS = ["direct", "paraphrased", "pronoun", "changed", "date"] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface Turn {
  user: string;
  assistant: string;
}

export interface Sitting {
  /** The session key, `{channel}:{context}`. */
  session: string;
  /** The time of the first message, in ISO 8601. Each further message comes a minute later. */
  at: string;
  turns: Turn[];
}

export interface WeekQuestion {
  ask: string;
  kind: QuestionKind;
  /**
   * Alternatives: a text answers the question if it contains one of them. If a value changed, only
   * the new one is listed.
   */
  answer: string[];
}

/** A week as a user lives it with an assistant, and the questions afterwards. */
export interface Week {
  name: string;
  about: string;
  sittings: Sitting[];
  notes: { path: string; text: string }[];
  facts: { text: string }[];
  questions: WeekQuestion[];
  /** Questions that nothing in the week answers. */
  unanswered: string[];
  /** Messages that are unrelated to the week. */
  unrelated: string[];
}

const FOLDER = fileURLToPath(new URL("../data/scenarios", import.meta.url));

/** Reads every week of `test/data/scenarios`, or the named ones. */
export function readWeeks(names: readonly string[] = []): Week[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".yaml"));
  const all = files.map((file) => basename(file, ".yaml")).toSorted();
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`There is no week ${unknown.join(", ")}; there are ${all.join(", ")}.`);
  return all
    .filter((name) => names.length === 0 || names.includes(name))
    .map((name) => ({ name, ...parse(readFileSync(join(FOLDER, `${name}.yaml`), "utf8")) }));
}
