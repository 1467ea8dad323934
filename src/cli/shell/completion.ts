import { Argument, type Command } from "commander";
import { pathOf, treeOf } from "./attach-help.ts";
import { bashScript } from "./completion-bash.ts";
import { fishScript } from "./completion-fish.ts";
import type { Place } from "./completion-place.ts";
import { zshScript } from "./completion-zsh.ts";
import type { CliContext } from "./context.ts";
import { guide } from "./guide.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * `recollect completion SHELL`: a script with all commands and options in it, so that no key press waits for a process to start.
 * What is neither is completed as a file, which most arguments are.
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
