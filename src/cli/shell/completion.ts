import { Argument, type Command } from "commander";
import { pathOf, treeOf } from "./attach-help.ts";
import { bashScript, fishScript, type Place, zshScript } from "./completion-scripts.ts";
import type { CliContext } from "./context.ts";
import { guide } from "./guide.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * Adds `recollect completion SHELL`, which prints a script with all commands and options in it.
 * Libraries that complete for commander start the command at every press of the Tab key; these
 * scripts start nothing (docs/decisions/0073-own-completion-scripts.md). A word that is no command
 * or option is completed as a file name, because most arguments are files.
 */
export function addCompletion(program: Command, context: CliContext): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(Object.keys(SCRIPTS)))
    .summary("completion with the Tab key")
    .description("print a script that completes commands and options with the Tab key")
    .addHelpText(
      ...guide(
        ["source <(recollect completion bash)"],
        "a new shell, then recollect <Tab>",
        `Put one of these lines where your shell reads it at its start:
  ~/.bashrc                                 source <(recollect completion bash)
  ~/.zshrc, after compinit                  source <(recollect completion zsh)
  ~/.config/fish/config.fish                recollect completion fish | source`,
      ),
    )
    .action((shell: keyof typeof SCRIPTS) => {
      context.stdout.write(SCRIPTS[shell](treeOf(program).map(placeOf)));
    });
}

function placeOf(command: Command): Place {
  const help = command.createHelp();
  const path = pathOf(command);
  return {
    at: path === "" ? "" : ` ${path}`,
    commands: help
      .visibleCommands(command)
      .map((one) => ({ name: one.name(), summary: one.summary() || one.description() })),
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag !== undefined),
      summary: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
}
