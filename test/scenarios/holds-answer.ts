/**
 * Returns whether a text contains one of these answers. Ignores case, white space and the escapes
 * of a recalled block.
 */
export function holdsAnswer(text: string, answers: readonly string[]): boolean {
  const folded = fold(text);
  return answers.some((answer) => folded.includes(fold(answer)));
}

function fold(text: string): string {
  const plain = text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return plain.normalize("NFC").replace(/\s+/gu, " ").trim().toLowerCase();
}
