import { z } from "zod";
import { alsoChosenAs, alsoNamed, markSchema } from "../../base/describe-schema.ts";
import { FACT_SORTS } from "../../db/agent/facts/fact-lists.ts";
import { DECAY_CLASSES, FACT_CATEGORIES } from "../../db/agent/facts/facts.ts";
import { factScope, MAX_RESULTS, oneLine, queryText, timestamp, timeUntil, timeZone } from "../core/scalar-schemas.ts";

/** The most facts of one request, and the most characters of one fact. */
export const MAX_FACTS = 50;
export const MAX_FACT_CHARS = 2000;
const MAX_TAGS = 20;
export const MAX_FORGET = 100;
/** The most facts that one fact replaces by their ids. */
export const MAX_REPLACED = 20;

/** The id of a fact. Every number of 18 digits fits a bigint. */
export const factId = z.string().regex(/^[1-9]\d{0,17}$/, "must be the id of a fact");

const factText = z
  .string()
  .max(MAX_FACT_CHARS)
  .refine((text) => text.trim() !== "", "must not be empty");

export { FACT_SORTS };
export const factCategory = z.enum(FACT_CATEGORIES);
export const decayClass = z.enum(DECAY_CLASSES);
const subjectName = oneLine.refine((text) => text.trim() !== "", "must not be empty");
const factTags = z.array(markSchema(oneLine.clone(), "words")).max(MAX_TAGS);
const importance = alsoChosenAs(z.number().min(0).max(1), {
  low: "0.25",
  minor: "0.25",
  medium: "0.5",
  normal: "0.5",
  moderate: "0.5",
  high: "0.75",
  important: "0.75",
  critical: "1",
  "very high": "1",
});
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
  subject: subjectName
    .optional()
    .describe("The person or thing it is about, by name, such as Ana or Project Kestrel; it is found by this name"),
  key: oneLine
    .optional()
    .describe("The property it states, such as user.name; the next fact with the same key and subject replaces it"),
  category: factCategory.optional().describe("Kind of statement; default: fact"),
  importance: importance.optional().describe("How much it matters, 0 to 1; default: 0.5"),
  scope: factScope.optional().describe("Whom and what it is for; a missing part means everybody"),
  tags: factTags.optional().describe("Words to find it by later, such as the name of a project"),
  source: givenSource.optional().describe("Where it comes from"),
  decayClass: decayClass.optional().describe("How fast it loses weight"),
  validFrom: timestamp.optional().describe("Since when it holds, as an ISO 8601 time; now unless you say otherwise"),
  expiresAt: alsoNamed(timeUntil.optional(), "validUntil").describe(
    "Until when it holds, as an ISO 8601 time; absent: no known end",
  ),
  validTo: timeUntil
    .optional()
    .describe("Until when it held, as an ISO 8601 time in the past; for a statement that holds no longer"),
  supersedes: z.array(factId).max(MAX_REPLACED).optional().describe("Ids of the facts that this one replaces"),
});

/** The changes to a fact. */
export const factChange = z
  .strictObject({
    text: factText.optional().describe("A new text makes a new version, which has an id of its own"),
    subject: subjectName.nullable().optional().describe("A new subject makes a new version too; null: none"),
    category: factCategory.optional(),
    importance: importance.optional(),
    tags: factTags.optional(),
    decayClass: decayClass.optional(),
    expiresAt: timestamp.nullable().optional().describe("Until when the fact holds; null: no known end"),
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
  subject: z
    .string()
    .optional()
    .describe("The person who said the fact, or the person or thing that it is about; absent if nobody is known"),
  key: z.string().optional().describe("The property that the fact states, such as `user.name`"),
  category: factCategory,
  importance: z.number().describe("0 to 1"),
  scope: shownScope.describe(
    "The user, agent and session that the fact is for; an absent part means everybody or everything",
  ),
  tags: z.array(z.string()),
  source: z
    .union([
      z.object({ kind: z.literal("call"), by, note: z.string().optional() }),
      z.object({ kind: z.literal("message"), by, session: z.string(), message: shownLine }),
      z.object({ kind: z.literal("file"), by, path: z.string(), startLine: shownLine, endLine: shownLine }),
    ])
    .describe("Where the fact comes from; `by` is the key that stored it"),
  decayClass: decayClass.describe(
    "How fast the fact loses weight: never, or by half in 365, 30, 1 or ¼ days, unless the agent's settings say otherwise",
  ),
  validFrom: z.string(),
  validTo: z.string().optional().describe("Until when the fact held; absent while it holds"),
  supersededBy: z.string().optional().describe("The id of the fact that replaced this one"),
  endedBy: z.enum(["key", "supersede", "update"]).optional(),
  expiresAt: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  confirmedAt: z.string(),
});

/**
 * The result of storing one fact. It contains only ids, since a caller who may write may not always
 * read.
 */
export const storedFact = z.object({
  id: z.string().describe("The id of the stored fact, or of the known fact that says the same"),
  status: z.enum(["stored", "duplicate"]),
  superseded: z.array(z.string()).describe("The ids of the facts that this one ended"),
});

/** The input of a search for facts. */
export const factSearch = z.strictObject({
  query: queryText.describe("What to look for: a question or key words"),
  maxResults: alsoNamed(z.int().min(1).optional(), "limit", "topK", "count").describe(
    `Most facts to return, at most ${MAX_RESULTS}`,
  ),
  minScore: z.number().min(0).max(1).optional().describe("Leave out facts below this score, 0 to 1"),
  asOf: timeUntil
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
  timezone: timeZone
    .optional()
    .describe("Where days such as yesterday begin and end, such as Europe/Lisbon; default: the agent's"),
  subject: subjectName.optional().describe("Only facts about this person or thing, by name; case does not matter"),
});

export const factHit = fact.extend({
  date: z.string().describe("The time since which the fact holds, as `validFrom`"),
  score: z.number(),
  vectorScore: z.number().optional(),
  textScore: z.number().optional(),
});

/** A passage found by a recall. */
export const recalledQuote = z
  .object({
    path: z.string(),
    startLine: z.int(),
    endLine: z.int(),
    source: z.enum(["memory", "sessions", "facts"]),
    score: z.number(),
    text: z.string(),
    citation: z.string(),
    date: z
      .string()
      .describe(
        "When it was said or written: the day that a file is about, or else the time of its last change or message",
      ),
    at: z
      .string()
      .optional()
      .describe("The time of the last message that is shown, if the passage comes from a conversation"),
    days: z
      .array(z.string())
      .optional()
      .describe("The days of these messages (YYYY-MM-DD), in the time zone of the recall"),
  })
  .meta({ id: "RecalledQuote", description: "A passage that bears on a message" });

export type Fact = z.output<typeof fact>;
export type RecalledQuote = z.output<typeof recalledQuote>;
export type StoredFact = z.output<typeof storedFact>;
