/**
 * For `addHelpText`: what stands below the help of a command, beside its summary and options.
 *
 * @param examples lines to type, perhaps with what each does behind it
 * @param next the command that most often comes next
 * @param about what has to be known before the first use
 */
export function guide(examples: readonly string[], next: string, about?: string): ["after", string] {
  const intro = about === undefined ? "" : `\n${about}\n`;
  const lines = examples.map((line) => `  ${line}\n`).join("");
  return ["after", `${intro}\nExample${examples.length > 1 ? "s" : ""}:\n${lines}\nNext: ${next}`];
}
