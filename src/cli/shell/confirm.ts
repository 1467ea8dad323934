import type { Command } from "commander";
import type { CliContext } from "./context.ts";
import { printableLine } from "./printable.ts";

/** A command that cannot be undone: it asks at a terminal, and elsewhere takes nothing but `--yes` for an answer. */
export function destructive(command: Command): Command {
  return command.option("--yes", "do not ask: there is no way back; needed where there is no terminal");
}

/**
 * Acts when the user means it. Without a terminal nobody could answer, and waiting would hang a script, so that is wrong usage.
 *
 * @param question what would be lost
 * @returns 1 when the user says no, else what the act returns
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
