/**
 * Text fit for a terminal: control characters other than line ends and tabs become U+FFFD. Memory and file names are
 * written by others, and an escape sequence in them could retitle, recolour or overwrite what the user reads.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]/gu, "\ufffd");
}

/** The same on one line, for names and messages. */
export function printableLine(text: string): string {
  return text.replace(/\p{Cc}/gu, "\ufffd");
}
