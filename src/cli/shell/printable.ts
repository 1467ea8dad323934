/**
 * Returns text that is safe for a terminal: control characters other than line ends and tabs become
 * U+FFFD. Other people write memories and file names, and an escape sequence in them could retitle,
 * recolour or overwrite the user's terminal.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]/gu, "\ufffd");
}

/**
 * Returns one line that is safe for a terminal, such as a name or a message: every control
 * character becomes U+FFFD, line ends and tabs included.
 */
export function printableLine(text: string): string {
  return text.replace(/\p{Cc}/gu, "\ufffd");
}
