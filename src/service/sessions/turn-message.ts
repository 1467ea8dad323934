import { createHash } from "node:crypto";
import { spokenText } from "../../ingest/harness-text.ts";

/**
 * Returns the words of the speaker in a message of a coding agent, without the texts that the program
 * around it wrote into the message. Empty when the program wrote all of it.
 */
export function wordsOf(text: string): string {
  return spokenText(text);
}

/**
 * Returns the id of a message in a turn of a coding agent. A hook and an import give the same
 * message the same id, so it is stored once.
 */
export function turnMessageId(turn: string, role: string, text: string): string {
  return createHash("sha256").update(`${turn}\n${role}\n${text}`).digest("hex");
}
