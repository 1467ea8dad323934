import { basicMemory } from "./basic-memory.ts";
import { chatgpt } from "./chatgpt.ts";
import { claude } from "./claude.ts";
import { claudeCode } from "./claude-code.ts";
import type { ImportKind } from "./import-kind.ts";
import { mcpMemory } from "./mcp-memory.ts";
import { mem0 } from "./mem0.ts";
import { openclaw } from "./openclaw.ts";

/** What can be imported. */
export const IMPORT_KINDS: readonly ImportKind[] = [
  ...[chatgpt, claude, claudeCode, mcpMemory, mem0, openclaw, basicMemory],
];
