import { Command, Help, Option } from "commander";
import { addAgents } from "./admin/admin-agents.ts";
import { addJobs } from "./admin/admin-jobs.ts";
import { addKeys } from "./admin/admin-keys.ts";
import { addService } from "./admin/admin-service.ts";
import { addDoctor } from "./admin/doctor.ts";
import { addEval } from "./eval/add-eval.ts";
import { findFolder, type SyncOptions, sync } from "./folder/sync.ts";
import { syncServer } from "./folder/sync-server.ts";
import { LEAST_DEBOUNCE_MS, type WatchOptions, watch } from "./folder/watch.ts";
import { addFacts } from "./memory/facts.ts";
import { get } from "./memory/get.ts";
import { addIngest } from "./memory/ingest.ts";
import { mcp } from "./memory/mcp.ts";
import { search } from "./memory/search.ts";
import { status } from "./memory/status.ts";
import { addSessions } from "./sessions/sessions.ts";
import { addHelpCommand, attachHelp } from "./shell/attach-help.ts";
import { addCompletion } from "./shell/completion.ts";
import type { CliContext, RemoteOptions, ServeOptions } from "./shell/context.ts";
import { agentId, decimal, memoryFolder, originName, wholeNumber } from "./shell/option-parsers.ts";
import { printableLine } from "./shell/printable.ts";
import { addProfiles } from "./shell/profile.ts";
import { AGENT_OPTION, connecting, type Run, remote } from "./shell/run.ts";

const DEFAULT_MAX_FILE_BYTES = 2_000_000;
/** The server's own limit. */
const MOST_FILE_BYTES = 4_000_000;

/**
 * The whole command line; its commands hand what they do to `run`.
 *
 * @param writeErr where commander says what is wrong with a line
 */
export function buildProgram(
  context: CliContext,
  run: Run,
  writeErr: (text: string) => void = (text) => context.stderr.write(text),
): Command {
  const program = new Command("recollect")
    .description("Memory for AI agents: files in, hybrid search out.")
    .version(context.version)
    .exitOverride()
    .configureHelp({ subcommandTerm: termOf, subcommandDescription: listed })
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr });
  program.commandsGroup("Memory:");
  addSync(program, context, run);
  addReading(program, context, run);
  addSessions(program, context, run);
  addFacts(program, context, run);
  addIngest(program, context, run);
  addEval(program, context, run);
  program.commandsGroup("Run it:");
  addProcesses(program, context, run);
  program.commandsGroup("Administration:");
  addAgents(program, context, run);
  addKeys(program, context, run);
  addJobs(program, context, run);
  addService(program, context, run);
  program.commandsGroup("This command:");
  addDoctor(program, context, run);
  addProfiles(program, context, run);
  addCompletion(program, context);
  addHelpCommand(program);
  attachHelp(program);
  return program;
}

/** How a command stands in a list: that it has options goes without saying. */
function termOf(command: Command): string {
  return new Help().subcommandTerm(command).replace(" [options]", "");
}

/** What it is for, in few words, and what is below it. */
function listed(command: Command): string {
  const below = command.commands.map((one) => one.name()).join(", ");
  const summary = command.summary() || command.description();
  return below === "" ? summary : `${summary}: ${below}`;
}

function addProcesses(program: Command, context: CliContext, run: Run): void {
  program
    .command("serve")
    .description("serve the API, with a worker in the same process")
    .option("--host <host>", "address to listen on")
    .option("--port <port>", "port to listen on, 0 for any", wholeNumber(0, 65_535))
    .option("--no-worker", "leave the jobs to `recollect worker`")
    .option("--json", "print a JSON object a line: where it listens, when it stopped")
    .action((options: ServeOptions) => run(context.serve(options)));
  program
    .command("migrate")
    .description("bring the database to this version, and end")
    .option("--roles", "make the agents' roles again too, with their rights: after a restore")
    .action((options: { roles?: true }) => run(context.migrate({ roles: options.roles ?? false })));
  program
    .command("worker")
    .description("take jobs, without an API (needs DATABASE_URL)")
    .option("--json", "print a JSON object a line: when it works, when it stopped")
    .action((options: { json?: boolean }) => run(context.work(options)));
  connecting(program.command("mcp").option("--agent <id>", AGENT_OPTION, agentId))
    .summary("serve a memory to an MCP client (Claude, Cursor, …)")
    .description("serve an agent's memory to an MCP client, on standard input and output")
    .action((options: RemoteOptions) => run(mcp(context, options)));
  program
    .command("start")
    .summary("a tour with an example workspace")
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
    .summary("make an agent remember a folder")
    .description(
      "make an agent remember what a folder has: Markdown and plain text, .gitignore and .recollectignore respected; without one, have the server sync the agent",
    )
    .option("--dry-run", "say what would be sent, removed and left to others, and do nothing")
    .option("--no-wait", "do not wait for the embeddings")
    .action((dir: string | undefined, options: SyncOptions, command: Command) => {
      if (dir !== undefined) return syncFolder(dir, options, command);
      const ofFolder = ["dryRun", "prefix", "allowEmpty", "ignore", "maxFileBytes", "origin", "takeOver"];
      const given = ofFolder.some((name) => command.getOptionValueSource(name) === "cli");
      return given
        ? command.error("These options need a folder. (invalid_request)")
        : run(syncServer(context, options));
    });
  selecting(remote(program.command("watch").argument("<dir>"), "print a JSON object a line"))
    .summary("the same, and again whenever the folder changes")
    .description("keep an agent's files of a folder as they are there while it changes; the same files as with sync")
    .option(
      "--debounce <ms>",
      "how long changes must rest (default: the agent's sync.watchDebounceMs)",
      wholeNumber(LEAST_DEBOUNCE_MS, 600_000),
    )
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
    .option("--allow-empty", "delete all the folder's files of the agent when it has none")
    .option(
      "--origin <name>",
      "the name by which files are this folder's (default: this machine and the folder)",
      originName,
    )
    .option("--take-over", "replace what others wrote at the paths of the folder's files");
}

function addReading(program: Command, context: CliContext, run: Run): void {
  remote(program.command("search").argument("<query>"))
    .description("search an agent's memory")
    .option("--max-results <n>", "most hits to show", wholeNumber(1))
    .option("--min-score <x>", "leave out hits below this score (0 to 1)", decimal)
    .addOption(new Option("--corpus <name>", "what to search").choices(["memory", "sessions", "facts", "all"]))
    .action((query: string, options) => run(search(context, query, options)));
  remote(program.command("get").argument("<path>"))
    .description("print lines of a file")
    .option("--from <line>", "first line", wholeNumber(1))
    .option("--lines <n>", "how many lines", wholeNumber(1))
    .action((path: string, options) => run(get(context, path, options)));
  remote(program.command("status"))
    .summary("what the memory holds, and what is under way")
    .description("what an agent's memory is made of and what is under way")
    .action((options) => run(status(context, options)));
}
