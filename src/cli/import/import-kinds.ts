import { basicMemory } from "./basic-memory.ts";
import { chatgpt } from "./chatgpt.ts";
import { claude } from "./claude.ts";
import { claudeCode } from "./claude-code.ts";
import type { ImportKind } from "./import-kind.ts";
import type { KindName } from "./kind-names.ts";
import { mcpMemory } from "./mcp-memory.ts";
import { mem0 } from "./mem0.ts";
import { openclaw } from "./openclaw.ts";

const KINDS: Record<KindName, ImportKind> = {
  ...{ chatgpt, claude, "claude-code": claudeCode, "mcp-memory": mcpMemory },
  ...{ mem0, openclaw, "basic-memory": basicMemory },
};

/** The reader of a kind. */
export function importKind(name: KindName): ImportKind {
  return KINDS[name];
}
