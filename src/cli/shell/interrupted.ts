import type { CliContext } from "./context.ts";

/** The exit code of a command that the user has stopped by Ctrl-C, as shells know it. */
export const INTERRUPTED = 130;

/**
 * Runs a command that the user may stop by Ctrl-C at any moment, because what is stored stays. It
 * then prints a sentence that says how much is stored and how to go on.
 *
 * @param isQuiet whether no sentence is printed, because the output is for a program
 * @param command gets a signal that its requests are aborted by
 * @returns the command's exit code, or `INTERRUPTED`
 */
export async function stoppable(
  context: CliContext,
  isQuiet: boolean,
  sentence: () => string,
  command: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const signal = context.stopping();
  signal.addEventListener("abort", () => {
    if (!isQuiet) context.stderr.write(`\n${sentence()}\n`);
  });
  try {
    return await command(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return INTERRUPTED;
  }
}
