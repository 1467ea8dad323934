import { z } from "zod";
import { FUSIONS } from "../../agents/settings-schema.ts";
import { arePatterns, PATTERN_RULE } from "../../db/agent/chunks/path-patterns.ts";
import { FACT_CATEGORIES } from "../../db/agent/facts/facts.ts";
import type { Background } from "../../search/ranking/evidence.ts";
import { factScope, MAX_RESULTS, queryText, timestamp } from "../core/scalar-schemas.ts";

/** The place of a chunk in the list of one arm. The score is a BM25 score or a cosine. */
const place = z.object({ rank: z.int(), score: z.number() });

/**
 * The explanation of a hit's rank. Without `keyword` or `vector`, that arm did not find the hit.
 */
export const explanation = z.object({
  keyword: place.optional(),
  vector: place.optional(),
  /** The BM25 score as a share of the best one, and the cosine. These values were fused. */
  textScore: z.number().optional(),
  vectorScore: z.number().optional(),
  /** The evidence as a multiple of chance. */
  evidence: z.number(),
  fusedScore: z.number(),
  /** The factor of temporal decay; `importance` is the factor of a fact's importance. */
  decay: z.number(),
  importance: z.number().optional(),
  /** Whether the hit is first because the query names its file. */
  named: z.boolean(),
  rerankScore: z.number().optional(),
  /** The hit's place among all candidates before reranking, MMR and the joining of neighbours. */
  rankedAt: z.int(),
  /** Whether the hit joins several chunks. */
  joined: z.boolean(),
});
const lines = { path: z.string(), startLine: z.int(), endLine: z.int() };
const armEntry = z.object({ ...lines, score: z.number() });
/** The settings and candidate lists of a search, for debugging. */
export const searchDebug = z.object({
  fusion: z.object({
    mode: z.string(),
    rule: z.string(),
    vectorWeight: z.number(),
    textWeight: z.number(),
    background: z
      .object({
        chunks: z.int(),
        wanted: z.number(),
        cosines: z.object({ mean: z.number(), deviation: z.number() }).optional(),
      })
      .optional(),
  }),
  minScore: z.union([z.enum(["auto", "recall"]), z.number()]),
  limit: z.int(),
  arms: z.object({ keyword: z.array(armEntry), vector: z.array(armEntry) }),
  leftOut: z.array(
    z.union([
      z.object({ ...lines, stage: z.literal("floor"), score: z.number() }),
      // `of` is the place of the equal text that is shown.
      z.object({ ...lines, stage: z.literal("duplicate"), of: z.string() }),
    ]),
  ),
});

export const searchMode = z.enum(["hybrid", "keyword", "vector"]);

/** The fields of an answer, besides its empty list, when memory could not be searched. */
export const unavailable = z.object({
  disabled: z.literal(true),
  unavailable: z.literal(true),
  error: z.string(),
  warning: z.string(),
  action: z.string(),
});

/** The parameters of `memory_search` that models are offered. */
export const offeredSearch = z.strictObject({
  query: queryText.describe(
    "What to look for: a question or key words; exact names, error codes and paths are found too",
  ),
  maxResults: z.int().min(1).max(MAX_RESULTS).optional().describe("Most hits to return; default: 6, unless configured"),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Leave out hits below this score, 0 to 1; 0.5 is as likely an answer as not"),
  corpus: z
    .enum(["memory", "sessions", "facts", "all"])
    .optional()
    .describe("Files (memory), conversations (sessions), remembered facts (facts), or all of them, the default"),
  after: z.iso.date().optional().describe("Only texts from this day on, YYYY-MM-DD"),
  before: z.iso.date().optional().describe("Only texts from before this day, YYYY-MM-DD"),
  paths: z
    .array(z.string().min(1).max(1024))
    .min(1)
    .max(20)
    .refine(arePatterns, PATTERN_RULE)
    .optional()
    .describe("Only these paths; `*` matches any characters, a folder ends with `/`"),
  scope: factScope.optional().describe("Leaves out facts and conversations of others; default: everybody's"),
  includeText: z.boolean().optional().describe("Add the whole text to each hit"),
  asOf: timestamp
    .optional()
    .describe(
      "Search the memory as it was at this time, an ISO 8601 time; texts that have changed since are found by words only",
    ),
});

/** The input of `memory_search`. */
export const searchInput = offeredSearch.extend({
  fusion: z
    .enum(FUSIONS)
    .optional()
    .describe("How the arms are combined in this search; default: the agent's setting `query.hybrid.fusion`"),
  explain: z.boolean().optional().describe("How each hit was ranked, and both arms' lists"),
  sessionKey: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe("The conversation that asks, such as telegram:group:5; with `citations: auto` a group gets no citations"),
});

const hit = z.object({
  path: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  /**
   * The page on which the hit begins, if the document has pages. `endPage` is the page on which it
   * ends, if that is another page.
   */
  page: z.int().optional(),
  endPage: z.int().optional(),
  score: z.number(),
  vectorScore: z.number().optional(),
  textScore: z.number().optional(),
  snippet: z.string().max(700),
  text: z.string().optional(),
  source: z.enum(["memory", "sessions", "facts"]),
  /**
   * The agent that shares the memory of the hit; absent if the memory is the reader's own. `path`
   * then begins with `@` and the agent's id.
   */
  sharedBy: z.string().optional(),
  citation: z.string().optional(),
  /** The version of the file that has this text, if the text has changed since. */
  version: z.string().optional(),
  fact: z
    .object({
      id: z.string(),
      category: z.enum(FACT_CATEGORIES),
      since: z.string(),
      confirmed: z.string().optional(),
      replaced: z.string().optional(),
    })
    .optional(),
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

const answer = z.object({
  results: z.array(hit),
  provider: z.string(),
  model: z.string(),
  /** The configured provider, if its fallback made the index. */
  fallback: z.object({ from: z.string() }).optional(),
  citations: z.enum(["auto", "on", "off"]),
  mode: searchMode,
  warning: z.string().optional(),
  note: z.string().optional(),
});

/**
 * The answer when memory cannot be searched. It is no error, because the model has to tell its
 * user.
 */
export const searchUnavailable = z.object({ results: z.array(hit).max(0), ...unavailable.shape });

/** The answer of `memory_search`. */
export const searchAnswer = answer.extend({
  results: z.array(hit.extend({ explain: explanation.optional() })),
  debug: searchDebug.optional(),
});

/** The input of `memory_get`. */
export const getInput = z.strictObject({
  path: z.string().describe("Path as in a search result, such as memory/2026-05-18.md or facts/12"),
  from: z.int().min(1).optional().describe("First line to read, counted from 1"),
  lines: z.int().min(1).optional().describe("How many lines"),
  asOf: timestamp.optional().describe("The text as it was at this time, an ISO 8601 time such as 2026-05-18T12:00:00Z"),
  scope: factScope.optional().describe("Whom it is for: others' facts and conversations are not found"),
});

/** The lines that `memory_get` read. */
export const readLines = z.object({
  text: z.string(),
  path: z.string(),
  /** The agent that shares the memory; absent if the memory is the reader's own. */
  sharedBy: z.string().optional(),
  from: z.int(),
  lines: z.int(),
  /**
   * The page of the first line, if the document has pages; `endPage` is the page of the last line,
   * if it is another.
   */
  page: z.int().optional(),
  endPage: z.int().optional(),
  truncated: z.literal(true).optional(),
  nextFrom: z.int().optional(),
});
export const linesNotFound = z.object({ status: z.literal("not_found"), text: z.literal(""), path: z.string() });

export type SearchInput = z.output<typeof searchInput>;
export type SearchOutput = z.output<typeof searchAnswer>;
export type SearchHit = SearchOutput["results"][number];
export type UnavailableOutput = z.output<typeof searchUnavailable>;
export type Unavailable = z.output<typeof unavailable>;
export type HitExplanation = z.output<typeof explanation>;
export type ArmPlace = z.output<typeof place>;
/**
 * The explanation of a search with the whole background of its evidence. The API describes a part
 * of the background.
 */
export type SearchDebug = z.output<typeof searchDebug> & { fusion: { background?: Background | undefined } };
