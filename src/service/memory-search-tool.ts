import { z } from "zod";
import { defineTool } from "./memory-tool.ts";
import { searchMemory } from "./search-memory.ts";
import { offeredAnswer, offeredSearch, searchAnswer, searchInput, searchUnavailable } from "./search-schemas.ts";

/** Searching; a model is not offered `explain`, whose answer is for people and long. */
export const memorySearchTool = defineTool({
  name: "memory_search",
  title: "Search memory",
  description:
    "Search long-term memory (notes, documents and, where configured, past conversations) by meaning and by exact words. " +
    "Mandatory before answering anything about earlier work, decisions, dates, people, preferences or to-dos. " +
    "Returns the best passages with path, line range and score; read more of one with memory_get. " +
    "If the result says disabled, tell the user its warning and action.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: searchInput,
  output: z.union([searchAnswer, searchUnavailable]),
  offered: { input: offeredSearch, output: z.union([offeredAnswer, searchUnavailable]) },
  run: searchMemory,
});
