import { toLines } from "./normalise.ts";

/** What the transcript shows of a message. */
export interface TranscriptMessage {
  /** 1, 2, 3, … in the order of arrival; numbers of messages that were removed are missing. */
  readonly seq: number;
  readonly role: string;
  readonly name: string | null;
  readonly text: string;
  /** 1-based line of the transcript on which the message begins. */
  readonly firstLine: number;
}

/** A message's text as it is kept: lines as `toLines` has them, ended by LF. */
export function normaliseMessage(text: string): string {
  return toLines(text).join("\n");
}

/**
 * Who speaks: the name, else the role. A turn is embedded with its speaker; without one questions about a person found 0.190
 * instead of 0.310 of what they should (nDCG@10, LoCoMo).
 */
export function speakerOf(message: Pick<TranscriptMessage, "role" | "name">): string {
  return message.name ?? message.role;
}

/** A message as lines of the transcript: `Speaker: text`, of which only the first says who speaks. */
export function renderMessage(message: Pick<TranscriptMessage, "role" | "name" | "text">): string[] {
  return `${speakerOf(message)}: ${message.text}`.split("\n");
}
