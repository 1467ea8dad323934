import { type Command, CommanderError } from "commander";
import { guide } from "./guide.ts";

/** The text below the help of `recollect` itself. */
const PROGRAM_HELP = `
A first minute:
  recollect serve                          the API on http://127.0.0.1:7420, embedded database in .recollect
  recollect sync ~/notes                   make the agent "main" remember a folder
  recollect search "who owns the release?"
  recollect get MEMORY.md --from 20 --lines 10
  recollect doctor                         when something does not work

More about a command: recollect help <command>
The memory in use: --url or --profile, else RECOLLECT_URL or RECOLLECT_PROFILE, else the profile in use (recollect profile), else this
machine: the server that owns .recollect, or the database itself.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

/** Returns the words that call a command, without `recollect`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : "";
}

/** Returns a command and all commands below it. */
export function treeOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(treeOf)];
}

/**
 * Adds a text at the end of the whole help that says where to begin, and a hint after wrong usage
 * that names the command's help.
 */
export function attachHelp(program: Command): void {
  program.addHelpText("after", PROGRAM_HELP).showHelpAfterError("See: recollect --help");
  for (const command of treeOf(program).slice(1)) command.showHelpAfterError(`See: recollect help ${pathOf(command)}`);
}

/**
 * Adds a help command that accepts several words, as in `recollect help agents set`. Commander's
 * own help command accepts one word only.
 */
export function addHelpCommand(program: Command): void {
  program.helpCommand(false);
  program
    .command("help")
    .argument("[command...]")
    .description("explain a command")
    .addHelpText(...guide(["recollect help search", "recollect help agents set"], "the command itself"))
    .action(async (words: string[]) => {
      let command = program;
      for (const word of words) {
        const found = command.commands.find((one) => one.name() === word);
        // Commander reports the unknown command itself and suggests the nearest known one.
        if (!found) return void (await command.parseAsync([word], { from: "user" }));
        command = found;
      }
      command.outputHelp();
      throw new CommanderError(0, "commander.help", "(help)");
    });
}
