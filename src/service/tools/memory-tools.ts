import { memoryForgetTool } from "./memory-forget-tool.ts";
import { memoryGetTool } from "./memory-get-tool.ts";
import { memoryRecallTool } from "./memory-recall-tool.ts";
import { memorySearchTool } from "./memory-search-tool.ts";
import { memoryStoreTool } from "./memory-store-tool.ts";
import type { MemoryTool } from "./memory-tool.ts";

/** Every tool of a model, in the order in which it is told of them. */
export const MEMORY_TOOLS: readonly MemoryTool[] = [
  memorySearchTool,
  memoryGetTool,
  memoryStoreTool,
  memoryRecallTool,
  memoryForgetTool,
];
