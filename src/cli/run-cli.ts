import { Command, CommanderError, Option } from "commander";
import { AppError } from "../base/errors.ts";
import { addAgents } from "./admin-agents.ts";
import { addJobs } from "./admin-jobs.ts";
import { addKeys } from "./admin-keys.ts";
import { addService } from "./admin-service.ts";
import type { CliContext } from "./context.ts";
import { addEval } from "./eval/add-eval.ts";
import { addFacts } from "./facts.ts";
import { get } from "./get.ts";
import { HELP } from "./help-texts.ts";
import { addIngest } from "./ingest.ts";
import { mcp } from "./mcp.ts";
import { agentId, decimal, httpUrl, memoryFolder, wholeNumber } from "./option-parsers.ts";
import { paint } from "./paint.ts";
import { printableLine } from "./printable.ts";
import { type Run, remote } from "./run.ts";
import { search } from "./search.ts";
import { addSessions } from "./sessions.ts";
import { status } from "./status.ts";
import { findFolder, type SyncOptions, sync } from "./sync.ts";
import { syncServer } from "./sync-server.ts";
import { LEAST_DEBOUNCE_MS, type WatchOptions, watch } from "./watch.ts";

const USAGE_ERROR = 2;
const DEFAULT_MAX_FILE_BYTES = 2_000_000;
/** The server's own limit. */
const MOST_FILE_BYTES = 4_000_000;

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
    // The context's colour is about standard output; standard error may go to a file all the same.
    const colour = context.colour && context.stderr.isTTY === true;
    context.stderr.write(`${paint("red", printableLine(describeError(error)), colour)}\n`);
    return 1;
  }
}

/** One sentence; a stack trace helps nobody who typed a command. */
function describeError(error: unknown): string {
  if (!(error instanceof AppError))
    return `Something went wrong: ${error instanceof Error ? error.message : String(error)} (internal)`;
  const requestId = error.code === "internal" ? error.details?.requestId : undefined;
  return `${error.message} (${error.code}${typeof requestId === "string" ? `, request ${requestId}` : ""})`;
}

function buildProgram(context: CliContext, run: Run): Command {
  const program = new Command("recollect")
    .description("Memory for AI agents: files in, hybrid search out.")
    .version(context.version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) })
    .addHelpText("after", HELP.program);
  addProcesses(program, context, run);
  addSync(program, context, run);
  addReading(program, context, run);
  addEval(program, context, run);
  addKeys(program, context, run);
  addAgents(program, context, run);
  addJobs(program, context, run);
  addService(program, context, run);
  addSessions(program, context, run);
  addFacts(program, context, run);
  addIngest(program, context, run);
  return program;
}

function addProcesses(program: Command, context: CliContext, run: Run): void {
  program
    .command("serve")
    .description("serve the API, with a worker in the same process")
    .option("--host <host>", "address to listen on")
    .option("--port <port>", "port to listen on, 0 for any", wholeNumber(0, 65_535))
    .option("--no-worker", "leave the jobs to `recollect worker`")
    .addHelpText("after", HELP.serve)
    .action((options: { host?: string; port?: number; worker: boolean }) => run(context.serve(options)));
  program
    .command("worker")
    .description("take jobs, without an API (needs DATABASE_URL)")
    .addHelpText("after", HELP.worker)
    .action(() => run(context.work()));
  program
    .command("mcp")
    .description("serve an agent's memory to an MCP client, on standard input and output")
    .option("--agent <id>", "the agent", agentId, "main")
    .option("--url <url>", "the server to talk to", httpUrl)
    .addHelpText("after", HELP.mcp)
    .action((options: { agent: string; url?: string }) => run(mcp(context, options)));
  program
    .command("start")
    .description("a tour: serve, sync the example workspace, search it, go on serving")
    .action(() => run(context.start()));
}

function addSync(program: Command, context: CliContext, run: Run): void {
  const inFolder =
    <Options>(act: (root: string, options: Options) => Promise<number>) =>
    async (dir: string, options: Options, command: Command) => {
      const root = await findFolder(context.cwd, dir);
      if (root === undefined) command.error(`${printableLine(dir)} is not a folder. (invalid_request)`);
      else await run(act(root, options));
    };
  const syncFolder = inFolder((root, options: SyncOptions) => sync(context, root, options));
  selecting(remote(program.command("sync").argument("[dir]")))
    .description(
      "make an agent's files those of a folder: Markdown and plain text, .gitignore and .recollectignore respected; without one, have the server sync the agent",
    )
    .option("--dry-run", "say what would be sent and removed, and do nothing")
    .option("--no-wait", "do not wait for the embeddings")
    .addHelpText("after", HELP.sync)
    .action((dir: string | undefined, options: SyncOptions, command: Command) => {
      if (dir !== undefined) return syncFolder(dir, options, command);
      const ofFolder = ["dryRun", "prefix", "allowEmpty", "ignore", "maxFileBytes"];
      const given = ofFolder.some((name) => command.getOptionValueSource(name) === "cli");
      return given
        ? command.error("These options need a folder. (invalid_request)")
        : run(syncServer(context, options));
    });
  selecting(remote(program.command("watch").argument("<dir>"), "print a JSON object a line"))
    .description("keep an agent's files those of a folder while it changes; the same files as with sync")
    .option(
      "--debounce <ms>",
      "how long changes must rest (default: the agent's sync.watchDebounceMs)",
      wholeNumber(LEAST_DEBOUNCE_MS, 600_000),
    )
    .addHelpText("after", HELP.watch)
    .action(inFolder((root, options: WatchOptions) => watch(context, root, options)));
}

/** Options of the commands that make a memory equal to a folder. */
function selecting(command: Command): Command {
  return command
    .option("--prefix <folder>", "the folder's place in the memory; nothing outside it is touched", memoryFolder, "")
    .option(
      "--max-file-bytes <n>",
      `skip larger files, at most ${MOST_FILE_BYTES}`,
      wholeNumber(1, MOST_FILE_BYTES),
      DEFAULT_MAX_FILE_BYTES,
    )
    .option("--ignore <pattern...>", "further patterns to ignore, as in .gitignore", [])
    .option("--allow-empty", "delete all the agent's files when the folder has none");
}

function addReading(program: Command, context: CliContext, run: Run): void {
  remote(program.command("search").argument("<query>"))
    .description("search an agent's memory")
    .option("--max-results <n>", "most hits to show", wholeNumber(1))
    .option("--min-score <x>", "leave out hits below this score (0 to 1)", decimal)
    .addOption(new Option("--corpus <name>", "what to search").choices(["memory", "sessions", "all"]))
    .addHelpText("after", HELP.search)
    .action((query: string, options) => run(search(context, query, options)));
  remote(program.command("get").argument("<path>"))
    .description("print lines of a file")
    .option("--from <line>", "first line", wholeNumber(1))
    .option("--lines <n>", "how many lines", wholeNumber(1))
    .addHelpText("after", HELP.get)
    .action((path: string, options) => run(get(context, path, options)));
  remote(program.command("status"))
    .description("what an agent's memory is made of and what is under way")
    .addHelpText("after", HELP.status)
    .action((options) => run(status(context, options)));
}
