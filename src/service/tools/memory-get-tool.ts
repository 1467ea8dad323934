import { z } from "zod";
import { getMemory } from "../search/get-memory.ts";
import { getInput, linesNotFound, readLines } from "../search/search-schemas.ts";
import { defineTool } from "./memory-tool.ts";

/** Reading some lines. */
export const memoryGetTool = defineTool({
  name: "memory_get",
  title: "Read from memory",
  description:
    "Read lines of one file, conversation or fact in memory, by a path that memory_search returned. Ask only for the lines you need; " +
    "at most 120 lines and 12,000 characters come at once, and nextFrom says where to go on. Of a fact it also says since when it " +
    "holds, what it replaced and where it was said.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: getInput,
  output: z.union([readLines, linesNotFound]),
  run: getMemory,
});
