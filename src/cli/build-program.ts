import { Command, Help } from "commander";
import { addAgents } from "./admin/agents.ts";
import { addCluster } from "./admin/cluster.ts";
import { addJobs } from "./admin/jobs.ts";
import { addKeys } from "./admin/keys.ts";
import { addProcesses } from "./admin/processes.ts";
import { addService } from "./admin/tenants.ts";
import { addSync } from "./folder/add-sync.ts";
import { addFacts } from "./memory/facts.ts";
import { addFiles } from "./memory/files.ts";
import { addGet } from "./memory/get.ts";
import { addSearch } from "./memory/search.ts";
import { addStatus } from "./memory/status.ts";
import { addSessions } from "./sessions/sessions.ts";
import { addHelpCommand, attachHelp } from "./shell/attach-help.ts";
import { addCompletion } from "./shell/completion.ts";
import type { CliContext } from "./shell/context.ts";
import { addProfiles } from "./shell/profile.ts";
import type { Run } from "./shell/shared-options.ts";
import { hintAtErrors, hintAtVersion } from "./shell/usage-hints.ts";

/** Adds commands to the command line. */
export type AddCommands = (program: Command, context: CliContext, run: Run) => void;

/**
 * Builds the whole command line. Each command passes its promise of an exit code to `run`.
 *
 * @param features adds the commands of each feature, after the core's
 * @param writeErr takes commander's messages about wrong usage
 */
export function buildProgram(
  context: CliContext,
  run: Run,
  features: readonly AddCommands[] = [],
  writeErr: (text: string) => void = (text) => context.stderr.write(text),
): Command {
  const program = new Command("recollect")
    .description("Memory for AI agents: files in, hybrid search out.")
    .version(context.version)
    // `--version` behind a command is not the program's.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ subcommandTerm: termOf, subcommandDescription: listed })
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr });
  program.commandsGroup("Memory:");
  addSync(program, context, run);
  addSearch(program, context, run);
  addGet(program, context, run);
  addStatus(program, context, run);
  addSessions(program, context, run);
  addFacts(program, context, run);
  addFiles(program, context, run);
  program.commandsGroup("Run it:");
  addProcesses(program, context, run);
  program.commandsGroup("Administration:");
  addAgents(program, context, run);
  addKeys(program, context, run);
  addJobs(program, context, run);
  addService(program, context, run);
  addCluster(program, context, run);
  program.commandsGroup("This command:");
  addProfiles(program, context, run);
  addCompletion(program, context);
  for (const addCommands of features) addCommands(program, context, run);
  addHelpCommand(program);
  attachHelp(program);
  hintAtErrors(program, hintAtVersion);
  return program;
}

/**
 * Returns how a command appears in a list: without `[options]`, because every command has options.
 */
function termOf(command: Command): string {
  return new Help().subcommandTerm(command).replace(" [options]", "");
}

/** Returns a command's purpose in few words, and the names of the commands below it. */
function listed(command: Command): string {
  const below = command.commands.map((one) => one.name()).join(", ");
  const summary = command.summary() || command.description();
  return below === "" ? summary : `${summary}: ${below}`;
}
