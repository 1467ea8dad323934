import { AppError } from "../../base/errors.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { printable } from "../shell/printable.ts";

export interface GetOptions extends RemoteOptions {
  from?: number;
  lines?: number;
}

/** `recollect get PATH`: the lines go to standard output, where to go on to standard error. */
export function get(context: CliContext, path: string, options: GetOptions): Promise<number> {
  const { from, lines, json } = options;
  return withMemory(context, options, async (memory) => {
    const answer = await memory.get(path, { from, lines });
    if (json) context.stdout.write(`${JSON.stringify(answer)}\n`);
    if ("status" in answer) throw new AppError("file_not_found", `The agent has no file ${path}.`);
    if (json) return 0;
    // Byte for byte into a file or a pipe; a terminal would obey escape sequences in it.
    context.stdout.write(`${context.stdout.isTTY ? printable(answer.text) : answer.text}\n`);
    if (answer.nextFrom !== undefined) context.stderr.write(`(more: --from ${answer.nextFrom})\n`);
    return 0;
  });
}
