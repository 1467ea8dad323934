import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readTranscript } from "./transcripts.ts";

const ROLLOUT = /(^|\/)rollout-[^/]+\.jsonl$/;
/** Matches packed rollouts, and rollouts of the first Codex, each one JSON document. */
const OTHER_ROLLOUT = /(^|\/)rollout-[^/]+(?:\.json|\.jsonl\.\w{1,4})$/;

/** Codex's conversations, which it calls rollouts. */
export const codex: ImportKind = {
  has: "rollout-*.jsonl, as ~/.codex and ~/.codex/sessions do",
  isZipped: false,
  reads: (path) => ROLLOUT.test(path) || OTHER_ROLLOUT.test(path),
  read: readRollout,
};

async function* readRollout(file: SourceFile): AsyncGenerator<Item> {
  if (OTHER_ROLLOUT.test(file.path)) yield { left: "rollouts in a form that is not read" };
  else yield* readTranscript(file);
}
