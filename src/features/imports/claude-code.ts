import type { ImportKind } from "./import-kind.ts";
import { fileName } from "./source-names.ts";
import { readTranscript } from "./transcripts.ts";

const INSTRUCTIONS = /^CLAUDE(\.local)?\.md$/;
/**
 * Matches the files in which Claude Code keeps its own memory of a project:
 * `projects/{project}/memory/MEMORY.md` and its topics.
 */
const MEMORY = /(^|\/)memory\/[^/]+\.md$/;

/** Claude Code's transcripts, and its instruction and memory files. */
export const claudeCode: ImportKind = {
  has: "transcripts (.jsonl) or CLAUDE.md, as ~/.claude and ~/.claude/projects do",
  isZipped: false,
  // The list of all prompts is left out. It has no answers, and the transcripts contain the prompts
  // too.
  reads: (path) => path.endsWith(".jsonl") && fileName(path) !== "history.jsonl",
  read: (file) => readTranscript(file, hookSessionOf),
  keeps: (path) => INSTRUCTIONS.test(fileName(path)) || MEMORY.test(path),
};

/** Returns the key of the session in which the plugin stores a conversation. */
function hookSessionOf(session: string): string {
  return session.replace(/^transcript:/, "claude-code:");
}
