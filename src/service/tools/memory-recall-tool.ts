import { z } from "zod";
import { factHit, factSearch, recalledQuote } from "../facts/fact-schemas.ts";
import { searchMode, unavailable } from "../search/search-schemas.ts";
import { memoryRecall } from "./fact-tools.ts";
import { defineTool } from "./memory-tool.ts";

const answer = z.object({
  facts: z.array(factHit),
  quotes: z.array(recalledQuote).optional(),
  mode: searchMode,
  warning: z.string().optional(),
});
const output = z.union([answer, z.object({ facts: z.array(factHit).max(0), ...unavailable.shape })]);

/** Searching what was remembered. */
export const memoryRecallTool = defineTool({
  name: "memory_recall",
  title: "Recall",
  description:
    "Get what is known about a person or topic: facts first, then short passages of conversations and notes. Superseded and expired " +
    "facts are left out. With asOf, categories or tags it searches facts only.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: factSearch,
  output,
  offered: factSearch.omit({ minScore: true, minImportance: true }),
  whenToUse:
    "memory_recall returns facts first: call it for what is true of a person or topic, now or on an earlier day.",
  run: memoryRecall,
});
