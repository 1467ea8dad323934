/** Matches the beginning of a message in a transcript. */
const MESSAGE = /^(?=[\p{L}\p{N}][^\n:]{0,60}: )/mu;
/** Matches the end of a sentence: a mark before white space, or an end of a line. The stop of "Dr. Osei" ends none. */
const BORDER = /(?<=[.!?;。！？；])(?<!(?<!\p{L})(?:Dr|Mr|Mrs|Ms|Prof)\.)\s+|\n+|(?<=[。！？；])/u;

/** Splits a transcript into its messages, each with its speaker. */
export function messagesIn(text: string): string[] {
  return text.split(MESSAGE);
}

/** Splits a text into its sentences and lines. */
export function sentencesIn(text: string): string[] {
  return text.split(BORDER).filter((sentence) => sentence !== "");
}

/** Returns the words of a text in lower case with a space around each, so that only whole words match. */
export function wordsBetweenSpaces(text: string): string {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}
