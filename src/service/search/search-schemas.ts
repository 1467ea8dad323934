import { z } from "zod";
import { alsoChosenAs, alsoNamed } from "../../base/describe-schema.ts";
import { arePatterns, PATTERN_RULE } from "../../db/agent/chunks/path-patterns.ts";
import { FACT_CATEGORIES } from "../../db/agent/facts/facts.ts";
import { ORIGIN_CLASSES } from "../../db/agent/sessions/messages.ts";
import type { Background } from "../../relevance/ranking/evidence.ts";
import { FUSIONS } from "../../settings/settings-schema.ts";
import { factScope, MAX_RESULTS, queryText, timeUntil, timeZone } from "../core/scalar-schemas.ts";

// A schema with an `id` has that name in the API's reference and in the client. No schema that a
// model is offered has one: its definition would become a reference.
const place = z
  .object({ rank: z.int(), score: z.number() })
  .meta({ id: "ArmPlace", description: "The rank of a chunk in the list of one arm; the score is BM25 or a cosine" });

export const explanation = z
  .object({
    keyword: place.optional(),
    vector: place.optional(),
    textScore: z.number().optional().describe("The BM25 score as a share of the best one, in the form that was fused"),
    vectorScore: z.number().optional().describe("The cosine, in the form that was fused"),
    evidence: z.number().describe("The evidence for the hit, as a multiple of the evidence by chance"),
    fusedScore: z.number(),
    decay: z.number().describe("The factor of temporal decay"),
    importance: z.number().optional().describe("The factor of a fact's importance"),
    named: z.boolean().describe("Whether the hit is first because the query names its file"),
    nearest: z
      .literal(true)
      .optional()
      .describe("The hit was lifted because it is one of the nearest by meaning, and has the score of a hit below it"),
    rerankScore: z.number().optional(),
    rankedAt: z.int().describe("The rank among all candidates, before reranking, MMR and the joining of neighbours"),
    joined: z.boolean().describe("Whether the hit joins several chunks"),
  })
  .meta({
    id: "HitExplanation",
    description: "The reason for a hit's rank; without `keyword` or `vector`, that arm did not find the hit",
  });
const lines = { path: z.string(), startLine: z.int(), endLine: z.int() };
const armEntry = z
  .object({ ...lines, score: z.number() })
  .meta({ id: "ArmEntry", description: "A passage that an arm found" });
export const searchDebug = z
  .object({
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
        .optional()
        .describe("The data from which the search estimates the scores that chance reaches in this index"),
    }),
    minScore: z.union([z.enum(["auto", "recall"]), z.number()]),
    limit: z.int(),
    arms: z.object({ keyword: z.array(armEntry), vector: z.array(armEntry) }),
    leftOut: z.array(
      z.union([
        z.object({ ...lines, stage: z.literal("floor"), score: z.number() }),
        z.object({
          ...lines,
          stage: z.literal("duplicate"),
          of: z.string().describe("The place of the equal text that is shown"),
        }),
      ]),
    ),
  })
  .meta({ id: "SearchDebug", description: "The settings and candidates of a search" });

export const searchMode = z.enum(["hybrid", "keyword", "vector"]);

/** The fields of an answer, besides its empty list, when memory could not be searched. */
export const unavailable = z.object({
  disabled: z.literal(true),
  unavailable: z.literal(true),
  error: z.string().describe("The reason"),
  warning: z.string(),
  action: z.string().describe("The remedy"),
});

/** The parameters of `memory_search` that models are offered. */
export const offeredSearch = z.strictObject({
  query: queryText.describe(
    "What to look for: a question or key words; exact names, error codes and paths are found too",
  ),
  maxResults: alsoNamed(z.int().min(1).optional(), "limit", "topK", "count").describe(
    `Most hits to return, at most ${MAX_RESULTS}; default: 6, unless configured`,
  ),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Leave out hits below this score, 0 to 1; 0.5 is as likely an answer as not"),
  corpus: alsoChosenAs(z.enum(["memory", "sessions", "facts", "all"]).optional(), {
    note: "memory",
    file: "memory",
    document: "memory",
    conversation: "sessions",
    chat: "sessions",
    message: "sessions",
    everything: "all",
  }).describe("Files (memory), conversations (sessions), remembered facts (facts), or all of them, the default"),
  timezone: timeZone
    .optional()
    .describe("Where days begin and end, such as Europe/Lisbon, for yesterday, after and before; default: the agent's"),
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
  asOf: timeUntil
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

const hitFact = z
  .object({
    id: z.string(),
    user: z.string().optional().describe("The user of the fact's scope, if the search has no scope"),
    subject: z.string().optional().describe("The person or thing that the fact is about"),
    category: z.enum(FACT_CATEGORIES),
    since: z.string(),
    confirmed: z.string().optional(),
    replaced: z.string().optional().describe("The text that this fact replaced"),
    originClass: z
      .enum(ORIGIN_CLASSES)
      .optional()
      .describe("The class of the message whose words the fact has; absent if no class is known"),
  })
  .meta({ id: "SearchHitFact", description: "Details of the fact, in a hit that is a fact" });

const hitSession = z
  .object({
    key: z.string(),
    messages: z.object({ from: z.int(), to: z.int() }),
    roles: z.array(z.string()),
    originClass: z
      .enum(ORIGIN_CLASSES)
      .optional()
      .describe("The least trusted class among its messages; absent if no class is known"),
    from: z.string().describe("The time of the first message that the snippet (with `includeText`: the text) shows"),
    to: z.string().describe("The time of the last message that it shows"),
    days: z
      .array(z.string())
      .optional()
      .describe("The days of the messages that it shows (YYYY-MM-DD), in the time zone of the search"),
  })
  .meta({ id: "SearchHitSession", description: "The position of a hit within a conversation" });

const hit = z
  .object({
    path: z.string().describe("The path for `memory_get`: a file's path, `sessions/<key>` or `facts/<id>`"),
    startLine: z.int(),
    endLine: z.int(),
    page: z.int().optional().describe("In a document with pages, the page on which the passage begins"),
    endPage: z.int().optional().describe("The page on which the passage ends, if it is another"),
    score: z.number().describe("0 to 1; 0.5 is as likely an answer as not"),
    vectorScore: z.number().optional(),
    textScore: z.number().optional(),
    snippet: z
      .string()
      .max(700)
      .describe(
        "The lines that bear on the question; if they are messages of several days, a line such as " +
          "`[2026-05-18]` stands before the messages of each day",
      ),
    text: z.string().optional().describe("The whole text, if `includeText` was set"),
    source: z.enum(["memory", "sessions", "facts"]).describe("Files (`memory`), conversations (`sessions`) or `facts`"),
    sharedBy: z
      .string()
      .optional()
      .describe("The agent that shares the memory, if it is another's; `path` then begins with `@` and its id"),
    date: z
      .string()
      .describe(
        "When it was said or written: the day that a file is about (YYYY-MM-DD), or else the time of its last change, " +
          "of the last message that is shown, or since which the fact holds (ISO 8601)",
      ),
    citation: z.string().optional().describe("`path#L1-L4`, if the agent's settings ask for citations"),
    olderThan: z
      .string()
      .optional()
      .describe("`path#L1-L4` of a newer passage that answers the same question with another value"),
    version: z
      .string()
      .optional()
      .describe("The version of the file that has this text, if the search had `asOf` and the text has changed since"),
    fact: hitFact.optional(),
    session: hitSession.optional(),
    explain: explanation.optional(),
  })
  .meta({
    id: "SearchHit",
    description: "A passage that a search found; lines are counted from 1, and both ends are included",
  });

/**
 * The answer when memory cannot be searched. It is no error, because the model has to tell its
 * user.
 */
export const searchUnavailable = z
  .object({ results: z.array(hit).max(0).describe("Always empty"), ...unavailable.shape })
  .meta({
    id: "SearchUnavailable",
    description: "The answer when the memory cannot be searched; tell the user `warning` and `action`",
  });

/** The answer of `memory_search`. */
export const searchAnswer = z
  .object({
    results: z.array(hit).describe("Best first"),
    certain: z
      .literal(false)
      .optional()
      .describe("Set if no hit stands out of chance: `results` are only the nearest passages, with short snippets"),
    provider: z.string(),
    model: z.string(),
    fallback: z
      .object({ from: z.string() })
      .optional()
      .describe("The configured provider, if its fallback made the index"),
    citations: z.enum(["auto", "on", "off"]).describe("The agent's setting for citations"),
    mode: searchMode.describe("The arms that answered: by words and meaning, or only one of them"),
    warning: z
      .string()
      .optional()
      .describe("How the answer differs from the request, for example that only words were searched"),
    note: z.string().optional(),
    debug: searchDebug.optional(),
  })
  .meta({ id: "SearchAnswer", description: "The result of a search; `unavailable` is not set" });

/** The input of `memory_get`. */
export const getInput = z.strictObject({
  path: z.string().describe("Path as in a search result, such as memory/2026-05-18.md or facts/12"),
  from: alsoNamed(z.int().min(1).optional(), "startLine").describe("First line to read, counted from 1"),
  fromChar: z.int().min(1).optional().describe("First character of the first line to read, counted from 1"),
  lines: z.int().min(1).optional().describe("How many lines"),
  asOf: timeUntil.optional().describe("The text as it was at this time, an ISO 8601 time such as 2026-05-18T12:00:00Z"),
  scope: factScope.optional().describe("Whom it is for: others' facts and conversations are not found"),
});

/** How a tool read its input, in an answer to a model. */
export const note = z
  .string()
  .optional()
  .describe("How the input was read, where it was not as the schema says, and what the answer lacks");

/** The lines that `memory_get` read. */
export const readLines = z
  .object({
    text: z.string(),
    path: z.string(),
    sharedBy: z.string().optional().describe("The agent that shares the memory, if it is another's"),
    from: z.int(),
    lines: z.int(),
    page: z.int().optional().describe("In a document with pages, the page of the first line"),
    endPage: z.int().optional().describe("The page of the last line, if it is another"),
    days: z
      .array(z.object({ line: z.int(), day: z.string() }))
      .optional()
      .describe("In a conversation, the lines that begin the messages of another day, each with the day (YYYY-MM-DD)"),
    truncated: z.literal(true).optional(),
    nextFrom: z.int().optional().describe("The line from which to continue, if more lines follow"),
    nextChar: z
      .int()
      .optional()
      .describe("If the line is too long for one answer, the fromChar that continues in the same line"),
    note,
  })
  .meta({ id: "ReadLines", description: "The lines that were read; `status` is not set" });
export const linesNotFound = z
  .object({ status: z.literal("not_found"), text: z.literal(""), path: z.string(), note })
  .meta({ id: "LinesNotFound", description: "The answer when nothing exists at the path" });

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
