import { readMessages } from "./reading/capture-facts.ts";
import type { FactCandidate } from "./reading/fact-candidate.ts";
import { ownTexts } from "./reading/own-words.ts";
import type { Change } from "./reading/read-change.ts";
import type { CaptureMessage } from "./reading/readable-texts.ts";

/** The messages of a turn. */
export interface TurnRequest {
  messages: readonly CaptureMessage[];
}

export interface ReadTurn {
  /** The statements that the rules have found. */
  candidates: FactCandidate[];
  /** The changes that no rule reads. */
  changes: Change[];
  /** The user's own words in each message. Other text is masked. */
  own: string[];
}

/**
 * Returns the statements that the rules find in a turn, and the user's own words in each message.
 * Threads run it, and the event loop for small turns.
 */
// biome-ignore lint/style/noDefaultExport: Piscina runs a worker file's default export
export default function readTurn({ messages }: TurnRequest): ReadTurn {
  const { facts, changes } = readMessages(messages);
  return { candidates: facts, changes, own: ownTexts(messages) };
}
