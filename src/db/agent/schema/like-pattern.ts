/** Returns the pattern of LIKE for texts that contain a text. Its `%` and `_` stand for themselves. */
export function likePattern(text: string): string {
  return `%${text.normalize("NFC").replace(/[\\%_]/g, "\\$&")}%`;
}
