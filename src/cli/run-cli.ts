import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { AppError } from "../base/errors.ts";
import type { CliContext } from "./context.ts";
import { get } from "./get.ts";
import { paint } from "./paint.ts";
import { search } from "./search.ts";
import { status } from "./status.ts";
import { sync } from "./sync.ts";

const USAGE_ERROR = 2;

/** Runs one command. @returns the exit code: 0 done, 1 failed, 2 wrong usage. Never throws and never ends the process. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  let code = 0;
  const program = buildProgram(context, async (command) => {
    code = await command;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    context.stderr.write(`${paint("red", describeError(error), context.colour)}\n`);
    return 1;
  }
}

/** One sentence; a stack trace helps nobody who typed a command. */
function describeError(error: unknown): string {
  if (error instanceof AppError) return `${error.message} (${error.code})`;
  return `Something went wrong: ${error instanceof Error ? error.message : String(error)} (internal)`;
}

type Run = (command: Promise<number>) => Promise<void>;

function buildProgram(context: CliContext, run: Run): Command {
  const program = new Command("recollect")
    .description("Memory for AI agents: files in, hybrid search out.")
    .version(context.version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) })
    .addHelpText("after", EXAMPLES);
  addProcesses(program, context, run);
  addSync(program, context, run);
  addReading(program, context, run);
  return program;
}

const EXAMPLES = `
Examples:
  recollect serve                          the API on http://127.0.0.1:7420, embedded database in .recollect
  recollect sync ~/notes                   make the agent "main" remember a folder
  recollect search "who owns the release?"
  recollect get MEMORY.md --from 20 --lines 10

Without --url (or RECOLLECT_URL) a command uses the server that owns .recollect, or opens the database itself.`;

function addProcesses(program: Command, context: CliContext, run: Run): void {
  program
    .command("serve")
    .description("serve the API, with a worker in the same process")
    .option("--host <host>", "address to listen on")
    .option("--port <port>", "port to listen on, 0 for any", wholeNumber(0))
    .option("--no-worker", "leave the jobs to `recollect worker`")
    .action((options: { host?: string; port?: number; worker: boolean }) => run(context.serve(options)));
  program
    .command("worker")
    .description("take jobs, without an API (needs DATABASE_URL)")
    .action(() => run(context.work()));
  program
    .command("start")
    .description("a tour: serve, sync the example workspace, search it, go on serving")
    .action(() => run(context.start()));
}

function addSync(program: Command, context: CliContext, run: Run): void {
  remote(program.command("sync").argument("<dir>"))
    .description(
      "make an agent's files those of a folder: Markdown and plain text, .gitignore and .recollectignore respected",
    )
    .option("--dry-run", "say what would be sent and removed, and do nothing")
    .option("--no-wait", "do not wait for the embeddings")
    .option("--max-file-bytes <n>", "skip larger files", wholeNumber(1), 2_000_000)
    .option("--ignore <pattern...>", "further patterns to ignore, as in .gitignore", [])
    .option("--allow-empty", "delete all the agent's files when the folder has none")
    .action((dir: string, options) => run(sync(context, dir, options)));
}

function addReading(program: Command, context: CliContext, run: Run): void {
  remote(program.command("search").argument("<query>"))
    .description("search an agent's memory")
    .option("--max-results <n>", "most hits to show", wholeNumber(1))
    .option("--min-score <x>", "leave out hits below this score (0 to 1)", decimal)
    .addOption(new Option("--corpus <name>", "what to search").choices(["memory", "sessions", "all"]))
    .action((query: string, options) => run(search(context, query, options)));
  remote(program.command("get").argument("<path>"))
    .description("print lines of a file")
    .option("--from <line>", "first line", wholeNumber(1))
    .option("--lines <n>", "how many lines", wholeNumber(1))
    .action((path: string, options) => run(get(context, path, options)));
  remote(program.command("status"))
    .description("what an agent's memory is made of and what is under way")
    .action((options) => run(status(context, options)));
}

function remote(command: Command): Command {
  return command
    .option("--agent <id>", "the agent", "main")
    .option("--url <url>", "the server to talk to")
    .option("--json", "print one JSON object");
}

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least)
      throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
    return value;
  };
}

function decimal(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
  return value;
}
