import { misspeltVariables } from "../config/misspelt-variables.ts";

/** Commands that log the warnings themselves, or have a finding for each. */
const TELL_THEMSELVES = ["serve", "worker", "start", "doctor"];

/**
 * Warns on standard error of variables whose names are misspelt, once for a command.
 */
export function warnOfVariables(argv: readonly string[], say: (line: string) => void): void {
  const command = argv.find((word) => !word.startsWith("-"));
  if (command === undefined || TELL_THEMSELVES.includes(command)) return;
  for (const sentence of misspeltVariables()) say(`${sentence}\n`);
}
