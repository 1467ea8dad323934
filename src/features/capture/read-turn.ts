import { workerFile } from "../../base/worker-file.ts";
import type { TextWork } from "../../service/files/text-work.ts";
import readTurn, { type ReadTurn, type TurnRequest } from "./read-turn.worker.ts";
import { warmRules } from "./reading/warm-rules.ts";

/** Finds the user's statements in a turn by rules, as work of the preparer of texts. */
export const READ_TURN: TextWork<TurnRequest, ReadTurn> = {
  worker: workerFile("read-turn.worker", import.meta.url),
  run: readTurn,
  textsOf: ({ messages }) => messages.map(({ text }) => text),
  warmUp: warmRules,
  // A turn that takes too long has no statements, but its messages are stored. All its text is
  // masked, so that nothing else reads it as the user's own words.
  instead: ({ messages }) => ({ candidates: [], changes: [], own: messages.map(() => "") }),
};
