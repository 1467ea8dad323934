import type { Command } from "commander";
import type { CliContext } from "./context.ts";
import { printableLine } from "./printable.ts";

/**
 * Marks a command as one that cannot be undone. It asks at a terminal; without a terminal it
 * requires `--yes`.
 */
export function destructive(command: Command): Command {
  return command.option("--yes", "do not ask: there is no way back; needed where there is no terminal");
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
  if (!context.ask) command.error("error: there is no terminal to ask at; pass --yes if you mean it");
  const answer = await context.ask(`${printableLine(question)} There is no way back. Type yes to go on: `);
  if (/^\s*y(es)?\s*$/i.test(answer)) return act();
  context.stderr.write("Nothing was done.\n");
  return 1;
}
