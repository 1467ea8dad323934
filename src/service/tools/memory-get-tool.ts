import { z } from "zod";
import { getMemory } from "../search/get-memory.ts";
import { getInput, linesNotFound, readLines } from "../search/search-schemas.ts";
import { defineTool } from "./memory-tool.ts";

/** Reading some lines. */
export const memoryGetTool = defineTool({
  name: "memory_get",
  title: "Read from memory",
  description:
    "Read lines of one file, conversation or fact in memory, by a path from memory_search. Ask only for the lines you need. " +
    "An answer has 120 lines by default and at most 12,000 characters; nextFrom says where to continue. A fact also shows its " +
    "validity, what it replaced and its source.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: getInput,
  output: z.union([readLines, linesNotFound]),
  run: getMemory,
});
