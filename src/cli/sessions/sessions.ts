import type { Command } from "commander";
import { countOf } from "../../base/text/count-of.ts";
import { all, callAgent, PAGE_ROWS } from "../shell/call.ts";
import { confirmed, destructive } from "../shell/confirm.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { inFolder } from "../shell/in-folder.ts";
import { named, wholeNumber } from "../shell/option-parsers.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { debouncing, type Run, remote } from "../shell/shared-options.ts";
import { STANDARD_INPUT } from "../shell/standard-input.ts";
import { table } from "../shell/table.ts";
import type { AddOptions } from "./sessions-add.ts";
import type { SessionsWatchOptions } from "./sessions-watch.ts";

const A_SESSION = "the key of a conversation; recollect sessions list shows it";

/** Adds the commands `recollect sessions …`. */
export function addSessions(program: Command, context: CliContext, run: Run): void {
  const sessions = program
    .command("sessions")
    .description("conversations of an agent")
    .addHelpText(
      ...guide(
        [
          "recollect sessions add chat.jsonl --session slack:C042",
          "recollect sessions add ~/.openclaw/agents/main/sessions/*.jsonl --agent main",
          "recollect sessions watch ~/.openclaw/agents/main/sessions",
        ],
        "recollect search <query> --corpus sessions",
        `A transcript has one JSON object a line: a message as in chat APIs, { role, content | text, name?, at | timestamp?, id? }.
A JSON list of such messages works too, also as { "messages": […] }. Transcripts of OpenClaw, Claude Code and Codex work too. Tool calls and results are left out. If a transcript is given again, only its
new messages are sent. The user's statements become facts, unless --no-capture or the agent's settings say otherwise.

Conversations are searched unless the agent's settings leave them out:
  recollect agents set main sources '["memory", "sessions", "facts"]'`,
      ),
    );
  addSending(sessions, context, run);
  addReading(sessions, context, run);
}

function addSending(sessions: Command, context: CliContext, run: Run): void {
  remote(sessions.command("add").argument("<file...>"))
    .description("append the messages of transcripts")
    .addHelpText(
      ...guide(
        [
          "recollect sessions add chat.jsonl --session slack:C042",
          "export-chat | recollect sessions add - --session slack:C042      from standard input",
          "recollect sessions add transcripts/*.jsonl            a session for each file, by its name",
        ],
        "recollect sessions list",
      ),
    )
    .option("--session <key>", "the session's key; by default transcript:{file name}")
    .option("--user <id>", "the user whose conversation it is; by default everybody's")
    .option("--no-wait", "do not wait until the messages are indexed")
    .option("--no-capture", "do not store the user's statements as facts")
    .action(async (files: string[], options: AddOptions, command: Command) => {
      if (options.session === undefined && files.includes(STANDARD_INPUT))
        command.error(
          "Standard input (-) has no name for the session; name it with --session <key>. (invalid_request)",
        );
      if (options.session !== undefined && files.length > 1)
        command.error("--session names one session, so give one file. (invalid_request)");
      await run((await import("./sessions-add.ts")).addTranscripts(context, files, options));
    });
  debouncing(remote(sessions.command("watch").argument("<dir>"), "print a JSON object a line"))
    .description(
      "append new messages of the transcripts (.jsonl) below a folder, until Ctrl-C; a transcript's path names its session",
    )
    .addHelpText(...guide(["recollect sessions watch ~/.openclaw/agents/main/sessions"], "recollect sessions list"))
    .option("--no-capture", "do not store the user's statements as facts")
    .action(
      inFolder(context, run, async (root, options: SessionsWatchOptions) =>
        (await import("./sessions-watch.ts")).watchTranscripts(context, root, options),
      ),
    );
}

function addReading(sessions: Command, context: CliContext, run: Run): void {
  remote(sessions.command("list"))
    .description("list the sessions")
    .addHelpText(
      ...guide(["recollect sessions list", "recollect sessions list --prefix slack:"], "recollect sessions show <key>"),
    )
    .option("--prefix <text>", "only sessions whose key begins with this text", "")
    .action((options: RemoteOptions & { prefix: string }) => run(list(context, options)));
  remote(sessions.command("show").argument("<key>", "", named(A_SESSION)))
    .description("print messages of a session")
    .addHelpText(
      ...guide(["recollect sessions show slack:C042 --after 100"], "recollect search <query> --corpus sessions"),
    )
    .option("--after <number>", "only messages after this number", wholeNumber(0), 0)
    .option("--limit <n>", "how many", wholeNumber(1, 1000), 100)
    .action((key: string, options: RemoteOptions & { after: number; limit: number }) =>
      run(show(context, key, options)),
    );
  destructive(remote(sessions.command("delete").argument("<key>", "", named(A_SESSION))))
    .description("delete a session with its messages")
    .option("--facts", "also forget the facts that come from it")
    .addHelpText(
      ...guide(
        ["recollect sessions delete slack:C042 --yes", "recollect sessions delete slack:C042 --facts"],
        "recollect facts list --source <key>",
      ),
    )
    .action((key: string, options: DeleteOptions, command: Command) =>
      run(confirmed(context, command, `Delete the session ${key}?`, () => remove(context, key, options))),
    );
}

function list(context: CliContext, options: RemoteOptions & { prefix: string }): Promise<number> {
  const { prefix } = options;
  return callAgent(
    context,
    options,
    async (memory) => ({ sessions: await all(memory.sessions.all({ limit: PAGE_ROWS, prefix })) }),
    ({ sessions }, width) => {
      const rows = sessions.map((one) => [
        ...[one.session, one.messages, one.unindexedMessages, one.bytes, one.lastMessageAt],
      ]);
      if (rows.length === 0) return "There are no such sessions.\n";
      return table(["session", "messages", "unindexed", "bytes", "last message"], rows, width);
    },
    ({ sessions }) => sessions.length === 0,
  );
}

function show(
  context: CliContext,
  key: string,
  options: RemoteOptions & { after: number; limit: number },
): Promise<number> {
  const { after, limit, json } = options;
  return withMemory(context, { ...options, brief: true }, async (memory) => {
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

interface DeleteOptions extends RemoteOptions {
  facts?: boolean;
}

function remove(context: CliContext, key: string, options: DeleteOptions): Promise<number> {
  return callAgent(
    context,
    { ...options, irreversible: true },
    (memory) => memory.sessions.delete(key, options.facts ? { facts: true } : {}),
    ({ session, messages, facts, forgotten }) => {
      const left = facts - forgotten;
      const rest = left === 0 ? "" : ` Kept: ${countOf(left, "fact")} that came from it.`;
      const also = forgotten === 0 ? "" : ` and ${countOf(forgotten, "fact")}`;
      return `Deleted ${printableLine(session)} with ${countOf(messages, "message")}${also}.${rest}\n`;
    },
  );
}
