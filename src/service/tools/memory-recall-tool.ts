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
    "What is known about somebody or something: remembered facts first, then short passages of conversations and notes. Facts that " +
    "were superseded or have expired are left out. With asOf, categories or tags only facts are searched.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: factSearch,
  output,
  offered: factSearch.omit({ minScore: true, minImportance: true }),
  whenToUse:
    "memory_recall looks at remembered facts first: call it for what holds of somebody or something, also as of an earlier day.",
  run: memoryRecall,
});
