import { AppError } from "../../base/errors.ts";
import { agentPath, callApi } from "../shell/api-client.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { printable } from "../shell/printable.ts";

export interface GetOptions extends RemoteOptions {
  from?: number;
  lines?: number;
}

interface Answer {
  text: string;
  status?: "not_found";
  nextFrom?: number;
}

/** `recollect get PATH`: the lines go to standard output, where to go on to standard error. */
export async function get(context: CliContext, path: string, options: GetOptions): Promise<number> {
  const connection = await context.connect(options);
  try {
    const { from, lines } = options;
    const answer = await callApi<Answer>(connection, "POST", agentPath(options.agent, "tools/memory_get"), {
      path,
      ...(from === undefined ? {} : { from }),
      ...(lines === undefined ? {} : { lines }),
    });
    if (options.json) context.stdout.write(`${JSON.stringify(answer)}\n`);
    if (answer.status === "not_found") throw new AppError("file_not_found", `The agent has no file ${path}.`);
    if (options.json) return 0;
    // Byte for byte into a file or a pipe; a terminal would obey escape sequences in it.
    context.stdout.write(`${context.stdout.isTTY ? printable(answer.text) : answer.text}\n`);
    if (answer.nextFrom !== undefined) context.stderr.write(`(more: --from ${answer.nextFrom})\n`);
    return 0;
  } finally {
    await connection.close();
  }
}
