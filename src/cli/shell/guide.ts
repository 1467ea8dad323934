/**
 * Returns the text below the help of a command, besides its summary and options, for `addHelpText`.
 *
 * @param examples lines to type, perhaps each with an explanation behind it
 * @param next the command that most often comes next
 * @param about what a user has to know before the first use
 */
export function guide(examples: readonly string[], next: string, about?: string): ["after", string] {
  const intro = about === undefined ? "" : `\n${about}\n`;
  const lines = examples.map((line) => `  ${line}\n`).join("");
  return ["after", `${intro}\nExample${examples.length > 1 ? "s" : ""}:\n${lines}\nNext: ${next}`];
}
