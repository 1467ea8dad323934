import type { Command } from "commander";
import { AppError } from "../../base/errors.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { instant, wholeNumber } from "../shell/option-parsers.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { type Run, remote } from "../shell/shared-options.ts";

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
    .option("--as-of <when>", "the text as it was then: a date or an instant", instant)
    .action((path: string, options) => run(get(context, path, options)));
}

/**
 * Runs `recollect get PATH`. Writes the lines to standard output, and the line from which to
 * continue to standard error.
 */
function get(context: CliContext, path: string, options: GetOptions): Promise<number> {
  const { from, fromChar, lines, asOf, json } = options;
  return withMemory(context, { ...options, brief: true }, async (memory) => {
    const answer = await memory.get(path, { from, fromChar, lines, asOf });
    if (json) context.stdout.write(`${JSON.stringify(answer)}\n`);
    if ("status" in answer) throw new AppError("file_not_found", `The agent has no file ${path}.`);
    if (json) return 0;
    // A file or a pipe gets the exact bytes. A terminal would obey escape sequences in the text.
    context.stdout.write(`${context.stdout.isTTY ? printable(answer.text) : answer.text}\n`);
    if (answer.sharedBy !== undefined) context.stderr.write(`(shared by ${printableLine(answer.sharedBy)})\n`);
    if (answer.nextChar !== undefined)
      context.stderr.write(`(the line goes on: --from ${answer.from} --from-char ${answer.nextChar})\n`);
    if (answer.nextFrom !== undefined) context.stderr.write(`(more: --from ${answer.nextFrom})\n`);
    return 0;
  });
}
