import { z } from "zod";
import { DECAY_CLASSES, FACT_CATEGORIES } from "../../db/agent/facts/facts.ts";
import { factScope, MAX_RESULTS, oneLine, queryText, timestamp } from "../core/scalar-schemas.ts";

/** The most facts of one request, and the most characters of one fact. */
export const MAX_FACTS = 50;
export const MAX_FACT_CHARS = 2000;
const MAX_TAGS = 20;
export const MAX_FORGET = 100;

/** The id of a fact. Every number of 18 digits fits a bigint. */
export const factId = z.string().regex(/^[1-9]\d{0,17}$/, "must be the id of a fact");

const factText = z
  .string()
  .max(MAX_FACT_CHARS)
  .refine((text) => text.trim() !== "", "must not be empty");

export const factCategory = z.enum(FACT_CATEGORIES);
export const decayClass = z.enum(DECAY_CLASSES);
const factTags = z.array(oneLine).max(MAX_TAGS);
const importance = z.number().min(0).max(1);
const line = z.int().min(1).max(2_147_483_646);
const path = z.string().min(1).max(1024);

/** The source of a fact, as its sender names it. */
const givenSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("call"), note: oneLine.optional() }),
  z.strictObject({ kind: z.literal("message"), session: path, message: line.optional() }),
  z.strictObject({ kind: z.literal("file"), path, startLine: line.optional(), endLine: line.optional() }),
]);

/** A fact to store. */
export const factInput = z.strictObject({
  text: factText.describe("The statement: one self-contained sentence, with names instead of pronouns"),
  key: oneLine
    .optional()
    .describe("The subject of the fact, such as user.name; the next fact with the same key replaces this one"),
  category: factCategory.optional().describe("Kind of statement; default: fact"),
  importance: importance.optional().describe("How much it matters, 0 to 1; default: 0.5"),
  scope: factScope.optional().describe("Whom and what it is for; a missing part means everybody"),
  tags: factTags.optional().describe("Words to find it by later, such as the name of a project"),
  source: givenSource.optional().describe("Where it comes from"),
  decayClass: decayClass.optional().describe("How fast it loses weight"),
  validFrom: timestamp.optional().describe("Since when it holds, as an ISO 8601 time; now unless you say otherwise"),
  expiresAt: timestamp.optional().describe("Until when it holds, as an ISO 8601 time; absent: no known end"),
  supersedes: z.array(factId).max(20).optional().describe("Ids of the facts that this one replaces"),
});

/** The changes to a fact. A new text makes a new version. */
export const factChange = z
  .strictObject({
    text: factText.optional(),
    category: factCategory.optional(),
    importance: importance.optional(),
    tags: factTags.optional(),
    decayClass: decayClass.optional(),
    expiresAt: timestamp.nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, "must change something");

const by = z.string();
const shownScope = z.object({
  user: z.string().optional(),
  agent: z.string().optional(),
  session: z.string().optional(),
});
const shownLine = z.int().optional();

export const fact = z.object({
  id: z.string(),
  text: z.string(),
  key: z.string().optional(),
  category: factCategory,
  importance: z.number(),
  scope: shownScope,
  tags: z.array(z.string()),
  source: z.union([
    z.object({ kind: z.literal("call"), by, note: z.string().optional() }),
    z.object({ kind: z.literal("message"), by, session: z.string(), message: shownLine }),
    z.object({ kind: z.literal("file"), by, path: z.string(), startLine: shownLine, endLine: shownLine }),
  ]),
  decayClass,
  validFrom: z.string(),
  validTo: z.string().optional(),
  supersededBy: z.string().optional(),
  endedBy: z.enum(["key", "supersede", "update"]).optional(),
  expiresAt: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  confirmedAt: z.string(),
});

/**
 * The result of storing one fact. It contains only ids, since a caller who may write may not always
 * read. `id` is the new fact's own id, or the id of the stored fact that says the same.
 * `superseded` lists the facts that the new fact ended.
 */
export const storedFact = z.object({
  id: z.string(),
  status: z.enum(["stored", "duplicate"]),
  superseded: z.array(z.string()),
});

/** The input of a search for facts. */
export const factSearch = z.strictObject({
  query: queryText.describe("What to look for: a question or key words"),
  maxResults: z.int().min(1).max(MAX_RESULTS).optional().describe("Most facts to return"),
  minScore: z.number().min(0).max(1).optional().describe("Leave out facts below this score, 0 to 1"),
  asOf: timestamp
    .optional()
    .describe("Search the facts that were believed at this time, an ISO 8601 time such as 2026-05-18T12:00:00Z"),
  scope: factScope.optional().describe("Whom it is for: facts of others are left out; absent: everybody's"),
  categories: z
    .array(factCategory)
    .min(1)
    .max(FACT_CATEGORIES.length)
    .optional()
    .describe("Only these kinds of statements"),
  tags: factTags.min(1).optional().describe("Only facts with all of these tags"),
  minImportance: importance.optional().describe("Only facts of at least this importance, 0 to 1"),
});

export const factHit = fact.extend({
  score: z.number(),
  vectorScore: z.number().optional(),
  textScore: z.number().optional(),
});

/** A passage found by a recall. */
export const recalledQuote = z.object({
  path: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  source: z.enum(["memory", "sessions", "facts"]),
  score: z.number(),
  text: z.string(),
  citation: z.string(),
  /** The time of the passage's last message, if it comes from a conversation. */
  at: z.string().optional(),
});

export type Fact = z.output<typeof fact>;
export type RecalledQuote = z.output<typeof recalledQuote>;
export type StoredFact = z.output<typeof storedFact>;
