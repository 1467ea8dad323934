import { z } from "zod";
import { searchMemory } from "../search/search-memory.ts";
import { offeredSearch, searchAnswer, searchInput, searchUnavailable } from "../search/search-schemas.ts";
import { defineTool } from "./memory-tool.ts";

/** Searching all that is known; a model is not offered `explain`, whose answer is for people and long. */
export const memorySearchTool = defineTool({
  name: "memory_search",
  title: "Search memory",
  description:
    "Search long-term memory (past conversations, notes, documents and remembered facts) by meaning and by exact words. " +
    "Mandatory before answering anything about earlier work, decisions, dates, people, preferences or to-dos. " +
    "Returns the best passages with path, lines and a score: 0.5 is as likely an answer as not. Use memory_get to read more at a path. " +
    "If the result says disabled, tell the user its warning and action.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: searchInput,
  output: z.union([searchAnswer, searchUnavailable]),
  offered: offeredSearch,
  run: searchMemory,
});
