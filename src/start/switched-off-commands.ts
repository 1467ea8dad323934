import { type AddCommands, buildProgram } from "../cli/build-program.ts";
import { pathOf, treeOf } from "../cli/shell/attach-help.ts";
import { hintAtErrors } from "../cli/shell/usage-hints.ts";
import type { Feature } from "../features/feature.ts";

/**
 * Returns the function that has an unknown command name the feature that it belongs to. It adds no
 * command, and must run after the functions that add the commands of the enabled features.
 *
 * @param off the features that are switched off
 */
export function nameSwitchedOff(off: readonly Feature[]): AddCommands {
  return (program, context, run) =>
    hintAtErrors(program, (command, code) => {
      if (code !== "commander.unknownCommand") return "";
      const path = `${pathOf(command)} ${command.args[0]}`.trim();
      const owner = off.find(
        ({ addCommands }) =>
          addCommands && treeOf(buildProgram(context, run, [addCommands])).some((one) => pathOf(one) === path),
      );
      return owner
        ? `\nThe command belongs to the feature ${owner.name}, which RECOLLECT_FEATURES switches off here.`
        : "";
    });
}
