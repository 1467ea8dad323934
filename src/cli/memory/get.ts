import type { Command } from "commander";
import { AppError } from "../../base/errors.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import type { ReadLines } from "../../client/api.ts";
import type { RecollectClient } from "../../client/client.ts";
import { absenceOf, withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { pastMoment, wholeNumber } from "../shell/option-parsers.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { type Run, remote } from "../shell/shared-options.ts";
import { nearestPath } from "./nearest-path.ts";
import { pagesText } from "./search.ts";

export interface GetOptions extends RemoteOptions {
  from?: number;
  fromChar?: number;
  lines?: number;
  asOf?: string;
}

/** Adds `recollect get`. */
export function addGet(program: Command, context: CliContext, run: Run): void {
  remote(program.command("get").argument("<path>"))
    .description("print lines of a file")
    .addHelpText(
      ...guide(
        ["recollect get MEMORY.md", "recollect get memory/2026-05-18.md --from 20 --lines 10"],
        "recollect search, to find the lines that matter",
      ),
    )
    .option("--from <line>", "first line", wholeNumber(1))
    .option("--from-char <n>", "first character of the first line", wholeNumber(1))
    .option("--lines <n>", "how many lines", wholeNumber(1))
    .option("--as-of <when>", "the text as it was then: a date (its end, in UTC) or an instant", pastMoment)
    .action((path: string, options) => run(get(context, path, options)));
}

/**
 * Runs `recollect get PATH`. Writes the lines to standard output, and the line from which to
 * continue to standard error.
 */
function get(context: CliContext, path: string, options: GetOptions): Promise<number> {
  const { from, fromChar, lines, asOf, json } = options;
  return withMemory(context, { ...options, brief: true }, async (memory, { client }) => {
    const answer = await memory.get(path, { from, fromChar, lines, asOf });
    if (json) context.stdout.write(`${JSON.stringify(answer)}\n`);
    if ("status" in answer) throw await missingFile({ memory, client }, path, options);
    if (json) return 0;
    if (answer.lines === 0 && answer.from > 1) {
      context.stderr.write(`(the file ends before line ${answer.from})\n`);
      return 0;
    }
    // A file or a pipe gets the exact bytes. A terminal would obey escape sequences in the text.
    context.stdout.write(`${context.stdout.isTTY ? printable(answer.text) : answer.text}\n`);
    for (const note of notesOn(answer)) context.stderr.write(`(${note})\n`);
    return 0;
  });
}

/** Returns the error for a path without a file. It says whether the agent exists, or which file was meant. */
async function missingFile(
  { memory, client }: { memory: AgentClient; client: RecollectClient },
  path: string,
  { agent }: GetOptions,
): Promise<AppError> {
  const absence = agent === undefined ? "" : await absenceOf(client, agent);
  const hint = absence === "" ? await nearestPath(memory, path) : ` ${absence.trimEnd()}`;
  return new AppError("file_not_found", `The agent has no file ${path}.${hint}`);
}

/** Returns what a reader of the lines may want to know: their pages, whose they are, where to read on. */
function notesOn({ page, endPage, sharedBy, from, nextChar, nextFrom, days = [] }: ReadLines): string[] {
  return [
    ...(days.length === 0 ? [] : [`said ${days.map(({ line, day }) => `${day} from line ${line}`).join(", ")}`]),
    ...(page === undefined ? [] : [pagesText({ page, endPage })]),
    ...(sharedBy === undefined ? [] : [`shared by ${printableLine(sharedBy)}`]),
    ...(nextChar === undefined ? [] : [`the line goes on: --from ${from} --from-char ${nextChar}`]),
    ...(nextFrom === undefined ? [] : [`more: --from ${nextFrom}`]),
  ];
}
