import { Command, Help, Option } from "commander";
import { addAgents } from "./admin/agents.ts";
import { addDoctor } from "./admin/doctor.ts";
import { addJobs } from "./admin/jobs.ts";
import { addKeys } from "./admin/keys.ts";
import { addService } from "./admin/tenants.ts";
import { addEval } from "./eval/add-eval.ts";
import { addSync } from "./folder/add-sync.ts";
import { addFacts } from "./memory/facts.ts";
import { get } from "./memory/get.ts";
import { addIngest } from "./memory/ingest.ts";
import { addMcp } from "./memory/mcp.ts";
import { search } from "./memory/search.ts";
import { status } from "./memory/status.ts";
import { addSessions } from "./sessions/sessions.ts";
import { addHelpCommand, attachHelp } from "./shell/attach-help.ts";
import { addCompletion } from "./shell/completion.ts";
import type { CliContext, ServeOptions } from "./shell/context.ts";
import { guide } from "./shell/guide.ts";
import { decimal, wholeNumber } from "./shell/option-parsers.ts";
import { addProfiles } from "./shell/profile.ts";
import { type Run, remote } from "./shell/shared-options.ts";

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
    .addHelpText(
      ...guide(
        ["recollect serve --port 8080", "recollect serve --host 0.0.0.0 --no-worker"],
        "recollect sync ~/notes",
        "On loopback the embedded database needs no key; elsewhere, and on Postgres (DATABASE_URL), every request does.",
      ),
    )
    .option("--host <host>", "address to listen on")
    .option("--port <port>", "port to listen on, 0 for any", wholeNumber(0, 65_535))
    .option("--no-worker", "leave the jobs to `recollect worker`")
    .option("--json", "print a JSON object a line: where it listens, when it stopped")
    .action((options: ServeOptions) => run(context.serve(options)));
  program
    .command("migrate")
    .description("bring the database to this version, and end")
    .addHelpText(
      ...guide(
        [
          "DATABASE_URL=postgres://localhost/recollect recollect migrate",
          "recollect migrate --roles    after a restore",
        ],
        "recollect serve",
        "Every process does this at its start too. A deployment that does it first learns of a failure before it replaces anything.",
      ),
    )
    .option("--roles", "make the agents' roles again too, with their rights: after a restore")
    .action((options: { roles?: true }) => run(context.migrate({ roles: options.roles ?? false })));
  program
    .command("worker")
    .description("take jobs, without an API (needs DATABASE_URL)")
    .addHelpText(...guide(["DATABASE_URL=postgres://localhost/recollect recollect worker"], "recollect jobs list"))
    .option("--json", "print a JSON object a line: when it works, when it stopped")
    .action((options: { json?: boolean }) => run(context.work(options)));
  addMcp(program, context, run);
  program
    .command("start")
    .summary("a tour with an example workspace")
    .description("a tour: serve, sync the example workspace, search it, go on serving")
    .addHelpText(...guide(["recollect start"], "recollect sync ~/notes"))
    .action(() => run(context.start()));
}

function addReading(program: Command, context: CliContext, run: Run): void {
  remote(program.command("search").argument("<query>"))
    .description("search an agent's memory")
    .addHelpText(
      ...guide(
        [
          'recollect search "why did we move the billing job?"',
          "recollect search ERR_CONNECTION_REFUSED --max-results 3",
          'recollect search "release checklist" --agent work --json',
        ],
        "recollect get <path> --from <line>, to read on",
      ),
    )
    .option("--max-results <n>", "most hits to show", wholeNumber(1))
    .option("--min-score <x>", "leave out hits below this score (0 to 1)", decimal)
    .addOption(new Option("--corpus <name>", "what to search").choices(["memory", "sessions", "facts", "all"]))
    .action((query: string, options) => run(search(context, query, options)));
  remote(program.command("get").argument("<path>"))
    .description("print lines of a file")
    .addHelpText(
      ...guide(
        ["recollect get MEMORY.md", "recollect get memory/2026-05-18.md --from 20 --lines 10"],
        "recollect search, to find the lines that matter",
      ),
    )
    .option("--from <line>", "first line", wholeNumber(1))
    .option("--lines <n>", "how many lines", wholeNumber(1))
    .action((path: string, options) => run(get(context, path, options)));
  remote(program.command("status"))
    .summary("what the memory holds, and what is under way")
    .description("what an agent's memory is made of and what is under way")
    .addHelpText(
      ...guide(
        ["recollect status", "recollect status --agent work --json"],
        "recollect doctor, when something seems wrong",
      ),
    )
    .action((options) => run(status(context, options)));
}
