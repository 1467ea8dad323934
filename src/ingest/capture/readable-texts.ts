export interface CaptureMessage {
  /** Only what `user` says is captured. */
  readonly role: string;
  readonly text: string;
}

/** The rest of a longer turn is not read: nobody types that much, and pasted text is not captured. */
export const MAX_CHARS = 20_000;

/**
 * The texts of a turn as far as they are read; those of the user first have their share of `MAX_CHARS`, so that an answer of
 * any length takes nothing from them.
 */
export function readableTexts(messages: readonly CaptureMessage[]): string[] {
  const left = { user: MAX_CHARS, other: MAX_CHARS };
  return messages.map(({ role, text }) => {
    const speaker = role === "user" ? "user" : "other";
    const read = text.slice(0, left[speaker]).toWellFormed();
    left[speaker] -= read.length;
    return read;
  });
}
