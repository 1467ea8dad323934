import { z } from "zod";
import { jsonOf } from "../../../base/json-text.ts";
import { plainProblem } from "../../../base/plain-problem.ts";
import { instant } from "../../../cli/shell/option-parsers.ts";
import { readLines } from "./read-lines.ts";

/** One line of corpus.jsonl in the form in which it is stored. */
export interface EvalDocument {
  /** The number of the line, from 1. */
  line: number;
  id: string;
  /**
   * The scope. Documents of one scope are one agent's memory; empty when the data set has no
   * scopes.
   */
  scope: string;
  /** The text of the file: `# title`, an empty line and the text, or only the text. */
  content: string;
  /** The time in `date`; absent if `date` is not a date or an instant in ISO 8601. */
  mtime?: string;
}

/** One line of queries.jsonl. */
export interface QueryLine {
  line: number;
  id: string;
  scope: string;
  text: string;
}

/** Receives a sentence, with file and line number, about every line that cannot be used. */
export type Report = (problem: string) => void;

/** The longest text of a file that `sync` sends by default; the server takes twice as much. */
const MOST_TEXT_CHARS = 2_000_000;
/**
 * The longest line. A character takes at most six bytes in JSON, and other fields have to fit as
 * well.
 */
const MOST_LINE_BYTES = 6 * MOST_TEXT_CHARS + 1_000_000;
/** The server's own limit for a query. */
const MOST_QUERY_CHARS = 8192;

const textOf = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => text.isWellFormed() && !text.includes("\0"), "holds a NUL or half a surrogate pair");
const id = z.union([textOf(512).min(1), z.int().transform(String)], "must be a text of 1 to 512 characters");
const scope = z.union([textOf(512), z.null().transform(() => "")], "must be a text").default("");

const documentLine = z.object({
  id,
  scope,
  title: textOf(10_000).nullish(),
  text: textOf(MOST_TEXT_CHARS),
  date: z.unknown().optional(),
});
const queryLine = z.object({
  id,
  scope,
  text: textOf(MOST_QUERY_CHARS).refine((text) => text.trim() !== "", "must not be empty"),
});

/**
 * Yields the documents of a corpus in their order, with one document in memory at a time. A line
 * that is not a document is reported and left out.
 */
export async function* readCorpus(path: string, report: Report): AsyncGenerator<EvalDocument> {
  for await (const { title, text, date, ...rest } of readObjects(path, "corpus.jsonl", documentLine, report)) {
    const heading = title?.replace(/\s+/g, " ").trim();
    const mtime = mtimeOf(date);
    yield {
      ...rest,
      content: heading ? `# ${heading}\n\n${text}` : text,
      ...(mtime === undefined ? {} : { mtime }),
    };
  }
}

/** Yields the lines of queries.jsonl, as `readCorpus` does for documents. */
export function readQueries(path: string, report: Report): AsyncGenerator<QueryLine> {
  return readObjects(path, "queries.jsonl", queryLine, report);
}

async function* readObjects<T extends z.ZodType>(
  path: string,
  name: string,
  schema: T,
  report: Report,
): AsyncGenerator<z.infer<T> & { line: number }> {
  for await (const line of readLines(path, name, MOST_LINE_BYTES)) {
    if (line.text.trim() === "") continue;
    const parsed = schema.safeParse(withId(jsonOf(line.text)));
    if (parsed.success) yield Object.assign(parsed.data as z.infer<T> & object, { line: line.number });
    else report(`${name} line ${line.number}: ${problemOf(parsed.error)}`);
  }
}

/** Takes the id from the field `_id`, as the BEIR collection names it. */
function withId(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return "_id" in value && !("id" in value) ? { ...value, id: value._id } : value;
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue || issue.path.length === 0) return "not a JSON object";
  return `${issue.path.join(".")}: ${plainProblem(issue.message)}`;
}

/**
 * Returns the time of a document. Other ways to write a date are read differently by different
 * machines; such a document gets the time of its upload.
 */
function mtimeOf(date: unknown): string | undefined {
  if (typeof date !== "string") return undefined;
  try {
    return instant(date.trim());
  } catch {
    return undefined;
  }
}
