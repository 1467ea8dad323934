import type { Command } from "commander";
import type { CliContext } from "./context.ts";
import { printableLine } from "./printable.ts";

/**
 * Marks a command as one that cannot be undone. It asks at a terminal; without a terminal it
 * requires `--yes`.
 */
export function destructive(command: Command): Command {
  return command.option(
    "--yes",
    "do not ask for confirmation, although this cannot be undone; needed without a terminal",
  );
}

/**
 * Acts only after the user has confirmed. Without a terminal no user could answer, and waiting
 * would hang a script, so a missing `--yes` is wrong usage.
 *
 * @param question names what would be lost
 * @returns 1 when the user says no, else the result of `act`
 */
export async function confirmed(
  context: CliContext,
  command: Command,
  question: string,
  act: () => Promise<number>,
): Promise<number> {
  if (command.opts<{ yes?: boolean }>().yes) return act();
  if (!context.ask)
    command.error("error: this command asks for confirmation, and there is no terminal; pass --yes to confirm");
  const answer = await context.ask(`${printableLine(question)} This cannot be undone. Type yes to go on: `);
  if (/^\s*y(es)?\s*$/i.test(answer)) return act();
  context.stderr.write("Nothing was done.\n");
  return 1;
}
