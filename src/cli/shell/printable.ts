/**
 * Returns text that is safe for a terminal: control characters other than line ends and tabs become
 * U+FFFD. Other people write memories and file names, and an escape sequence in them could retitle,
 * recolour or overwrite the user's terminal.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]/gu, "\ufffd");
}

/** Does the same for text on one line: names and messages. */
export function printableLine(text: string): string {
  return text.replace(/\p{Cc}/gu, "\ufffd");
}
