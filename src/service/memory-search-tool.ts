import { z } from "zod";
import { defineTool } from "./memory-tool.ts";
import { searchMemory } from "./search-memory.ts";
import { explanation, MAX_QUERY_CHARS, MAX_RESULTS, searchDebug } from "./search-schemas.ts";

const offeredInput = z.strictObject({
  query: z
    .string()
    .max(MAX_QUERY_CHARS)
    .refine((text) => text.trim() !== "", "must not be empty")
    .describe("What to look for: a question or key words; exact names, error codes and paths are found too"),
  maxResults: z.int().min(1).max(MAX_RESULTS).optional().describe("Most hits to return; 6 unless configured otherwise"),
  minScore: z.number().min(0).max(1).optional().describe("Leave out hits below this score; 0.35 unless configured"),
  corpus: z
    .enum(["memory", "sessions", "all"])
    .optional()
    .describe("Files (memory), past conversations (sessions), or both"),
  after: z.iso.date().optional().describe("Only what is from this day on, YYYY-MM-DD"),
  before: z.iso.date().optional().describe("Only what is from before this day, YYYY-MM-DD"),
  paths: z
    .array(z.string().min(1).max(1024))
    .min(1)
    .max(20)
    .optional()
    .describe("Only these paths; `*` stands for any characters, a folder ends with `/`"),
  includeText: z.boolean().optional().describe("Each hit with its whole text"),
});

const offeredHit = z.object({
  path: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  score: z.number(),
  vectorScore: z.number().optional(),
  textScore: z.number().optional(),
  snippet: z.string().max(700),
  text: z.string().optional(),
  source: z.enum(["memory", "sessions"]),
  citation: z.string().optional(),
  session: z
    .object({
      key: z.string(),
      messages: z.object({ from: z.int(), to: z.int() }),
      roles: z.array(z.string()),
      from: z.string(),
      to: z.string(),
    })
    .optional(),
});

const offeredAnswer = z.object({
  results: z.array(offeredHit),
  provider: z.string(),
  model: z.string(),
  citations: z.enum(["auto", "on", "off"]),
  mode: z.enum(["hybrid", "keyword", "vector"]),
  warning: z.string().optional(),
});

const unavailable = z.object({
  results: z.array(offeredHit).max(0),
  disabled: z.literal(true),
  unavailable: z.literal(true),
  error: z.string(),
  warning: z.string(),
  action: z.string(),
});

const answer = offeredAnswer.extend({
  results: z.array(offeredHit.extend({ explain: explanation.optional() })),
  debug: searchDebug.optional(),
});

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
  input: offeredInput.extend({
    explain: z.boolean().optional().describe("Each hit with what put it there, and both arms' lists"),
  }),
  output: z.union([answer, unavailable]),
  offered: { input: offeredInput, output: z.union([offeredAnswer, unavailable]) },
  run: searchMemory,
});
