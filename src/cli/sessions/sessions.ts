import type { Command } from "commander";
import { findFolder } from "../folder/sync.ts";
import { LEAST_DEBOUNCE_MS } from "../folder/watch.ts";
import { all, callAgent, PAGE_ROWS, table } from "../shell/call.ts";
import { confirmed, destructive } from "../shell/confirm.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { wholeNumber } from "../shell/option-parsers.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { type Run, remote } from "../shell/run.ts";
import { type AddOptions, addTranscripts } from "./sessions-add.ts";
import { type SessionsWatchOptions, watchTranscripts } from "./sessions-watch.ts";

/** `recollect sessions …` */
export function addSessions(program: Command, context: CliContext, run: Run): void {
  const sessions = program.command("sessions").description("conversations of an agent");
  remote(sessions.command("add").argument("<file...>"))
    .description("append what JSONL transcripts have")
    .option("--session <key>", "the session's key; by default transcript:{file name}")
    .option("--no-wait", "do not wait until the messages are indexed")
    .option("--no-capture", "do not store what the user states as facts")
    .action((files: string[], options: AddOptions, command: Command) => {
      if (options.session !== undefined && files.length > 1)
        command.error("--session names one session, so give one file. (invalid_request)");
      return run(addTranscripts(context, files, options));
    });
  remote(sessions.command("watch").argument("<dir>"), "print a JSON object a line")
    .description(
      "append what transcripts (.jsonl) below a folder are given, until Ctrl-C; their path names the session",
    )
    .option(
      "--debounce <ms>",
      "how long changes must rest (default: the agent's sync.watchDebounceMs)",
      wholeNumber(LEAST_DEBOUNCE_MS, 600_000),
    )
    .option("--no-capture", "do not store what the user states as facts")
    .action(async (dir: string, options: SessionsWatchOptions, command: Command) => {
      const root = await findFolder(context.cwd, dir);
      if (root === undefined) command.error(`${printableLine(dir)} is not a folder. (invalid_request)`);
      else await run(watchTranscripts(context, root, options));
    });
  remote(sessions.command("list"))
    .description("list the sessions")
    .option("--prefix <text>", "those whose key begins so", "")
    .action((options: RemoteOptions & { prefix: string }) => run(list(context, options)));
  remote(sessions.command("show").argument("<key>"))
    .description("print messages of a session")
    .option("--after <number>", "those after this one", wholeNumber(0), 0)
    .option("--limit <n>", "how many", wholeNumber(1, 1000), 100)
    .action((key: string, options: RemoteOptions & { after: number; limit: number }) =>
      run(show(context, key, options)),
    );
  destructive(remote(sessions.command("delete").argument("<key>")))
    .description("delete a session with its messages")
    .action((key: string, options: RemoteOptions, command: Command) =>
      run(confirmed(context, command, `Delete the session ${key}?`, () => remove(context, key, options))),
    );
}

function list(context: CliContext, options: RemoteOptions & { prefix: string }): Promise<number> {
  const { prefix } = options;
  return callAgent(
    context,
    options,
    async (memory) => ({ sessions: await all(memory.sessions.all({ limit: PAGE_ROWS, prefix })) }),
    ({ sessions }) => {
      const rows = sessions.map((one) => [
        ...[one.session, one.messages, one.unindexedMessages, one.bytes, one.lastMessageAt],
      ]);
      return table(["session", "messages", "unindexed", "bytes", "last message"], rows);
    },
  );
}

function show(
  context: CliContext,
  key: string,
  options: RemoteOptions & { after: number; limit: number },
): Promise<number> {
  const { after, limit, json } = options;
  return withMemory(context, options, async (memory) => {
    const page = await memory.sessions.get(key, { after, limit });
    if (json) context.stdout.write(`${JSON.stringify(page)}\n`);
    else {
      for (const { number, at, role, name, text } of page.messages)
        context.stdout.write(`${number}. ${at} ${printableLine(name ?? role)}: ${printable(text)}\n`);
      if (page.nextAfter !== undefined) context.stderr.write(`(more: --after ${page.nextAfter})\n`);
    }
    return 0;
  });
}

function remove(context: CliContext, key: string, options: RemoteOptions): Promise<number> {
  return callAgent(
    context,
    options,
    (memory) => memory.sessions.delete(key),
    (gone) => `Deleted ${printableLine(gone.session)} with ${gone.messages} messages.\n`,
  );
}
