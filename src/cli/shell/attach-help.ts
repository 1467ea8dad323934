import { type Command, CommanderError } from "commander";
import { HELP, PROGRAM_HELP } from "./help-texts.ts";

/** The words that call a command, without `recollect`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : "";
}

/** A command and all below it. */
export function treeOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(treeOf)];
}

/** Gives each command its examples, where to go next, and after wrong usage where to read about it. */
export function attachHelp(program: Command): void {
  program.addHelpText("after", PROGRAM_HELP).showHelpAfterError("See: recollect --help");
  for (const command of treeOf(program).slice(1)) {
    const path = pathOf(command);
    command.showHelpAfterError(`See: recollect help ${path}`);
    const help = HELP[path];
    if (!help) continue;
    const about = help.about === undefined ? "" : `\n${help.about}\n`;
    const examples = help.examples.map((line) => `  ${line}\n`).join("");
    command.addHelpText(
      "after",
      `${about}\nExample${help.examples.length > 1 ? "s" : ""}:\n${examples}\nNext: ${help.next}`,
    );
  }
}

/** `recollect help agents set`: commander's own help command knows one word only. */
export function addHelpCommand(program: Command): void {
  program.helpCommand(false);
  program
    .command("help")
    .argument("[command...]")
    .description("explain a command")
    .action(async (words: string[]) => {
      let command = program;
      for (const word of words) {
        const found = command.commands.find((one) => one.name() === word);
        // Commander's own way to say that a command is unknown, with the nearest that is not.
        if (!found) return void (await command.parseAsync([word], { from: "user" }));
        command = found;
      }
      command.outputHelp();
      throw new CommanderError(0, "commander.help", "(help)");
    });
}
