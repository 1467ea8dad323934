import type { ImportKind } from "./import-kind.ts";
import { fileName } from "./source-names.ts";
import { readTranscript } from "./transcripts.ts";

const INSTRUCTIONS = /^CLAUDE(\.local)?\.md$/;
/** What Claude Code remembers of a project by itself: `projects/{project}/memory/MEMORY.md` and its topics. */
const MEMORY = /(^|\/)memory\/[^/]+\.md$/;

/** Claude Code's transcripts, and what it was told to remember. */
export const claudeCode: ImportKind = {
  has: "transcripts (.jsonl) or CLAUDE.md, as ~/.claude and ~/.claude/projects do",
  isZipped: false,
  // The list of all prompts has no answers, and they stand in the transcripts too.
  reads: (path) => path.endsWith(".jsonl") && fileName(path) !== "history.jsonl",
  read: readTranscript,
  keeps: (path) => INSTRUCTIONS.test(fileName(path)) || MEMORY.test(path),
};
