export interface CaptureMessage {
  /** The role. Facts are captured only from the role `user`. */
  readonly role: string;
  readonly text: string;
  /** The name of the speaker, in a conversation of several people. */
  readonly name?: string | undefined;
  /** When it was said. */
  readonly at?: Date | undefined;
  /** Whether it was read before, so that its statements are stored. */
  readonly isStored?: boolean | undefined;
}

/**
 * The most characters that are read of a turn. No user types more, and pasted text is not captured.
 */
export const MAX_CHARS = 20_000;

/**
 * Returns the parts of a turn's texts that are read. The user's messages have a `MAX_CHARS` of
 * their own, so that a long answer takes nothing from them.
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
