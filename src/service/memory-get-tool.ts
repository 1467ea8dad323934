import { z } from "zod";
import { getMemory } from "./get-memory.ts";
import { defineTool } from "./memory-tool.ts";

const text = z.object({
  text: z.string(),
  path: z.string(),
  from: z.int(),
  lines: z.int(),
  truncated: z.literal(true).optional(),
  nextFrom: z.int().optional(),
});
const notFound = z.object({ status: z.literal("not_found"), text: z.literal(""), path: z.string() });

/** Reading some lines. */
export const memoryGetTool = defineTool({
  name: "memory_get",
  title: "Read from memory",
  description:
    "Read lines of one file or conversation in memory, by a path that memory_search returned. Ask only for the lines you need; " +
    "at most 120 lines and 12,000 characters come at once, and nextFrom says where to go on.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({
    path: z.string().describe("Path as in a search result, such as memory/2026-05-18.md"),
    from: z.int().min(1).optional().describe("First line, counted from 1"),
    lines: z.int().min(1).optional().describe("How many lines"),
  }),
  output: z.union([text, notFound]),
  run: getMemory,
});
