import { z } from "@hono/zod-openapi";
import { factScope } from "../service/core/scalar-schemas.ts";
import * as plain from "../service/facts/fact-schemas.ts";
import { explanation, searchDebug, searchMode } from "../service/search/search-schemas.ts";
import { MAX_MESSAGE_CHARS, turnMessage, VALUES_OF_MESSAGE } from "../service/sessions/message-schemas.ts";
import { named, paged } from "./schemas.ts";

/** Most messages of one turn. */
const MAX_TURN_MESSAGES = 50;
/** Most JSON values of one turn. */
export const MAX_TURN_VALUES = MAX_TURN_MESSAGES * VALUES_OF_MESSAGE;

export const fact = named(plain.fact, "Fact");
export const factHit = named(plain.factHit, "FactHit");
export const factInput = named(plain.factInput, "FactInput");
export const factChange = named(plain.factChange, "FactChange");
export const storedFact = named(plain.storedFact, "StoredFact");
export const changedFact = plain.storedFact
  .extend({ status: z.enum(["updated", "stored", "duplicate"]) })
  .openapi("ChangedFact");
export const storedFacts = z.object({ facts: z.array(storedFact) });
export const facts = z.object({ facts: z.array(fact) });
export const factPage = paged({ facts: z.array(fact) }).openapi("FactPage");

export const factSearch = plain.factSearch
  .extend({
    explain: z.boolean().optional().openapi({ description: "How each hit was ranked, and both arms' lists" }),
  })
  .openapi("FactSearch");

export const foundFacts = z
  .object({
    facts: z.array(factHit.extend({ explain: explanation.optional() })),
    mode: searchMode,
    warning: z.string().optional(),
    debug: searchDebug.optional(),
  })
  .openapi("FoundFacts");

const settingOf = (name: string) => `Default: the setting \`facts.recall.${name}\``;

export const recallInput = z
  .strictObject({
    message: z
      .string()
      .max(MAX_MESSAGE_CHARS)
      .refine((text) => text.trim() !== "", "must not be empty"),
    scope: factScope
      .optional()
      .openapi({ description: "The speaker and place; facts and conversations of others are never recalled" }),
    maxFacts: z
      .int()
      .min(1)
      .max(50)
      .optional()
      .openapi({ description: settingOf("maxFacts") }),
    maxQuotes: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .openapi({ description: settingOf("maxQuotes") }),
    maxDistance: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .openapi({
        description: `Leave out facts that are further away or not embedded yet. ${settingOf("maxDistance")}`,
      }),
    maxChars: z
      .int()
      .min(200)
      .max(100_000)
      .optional()
      .openapi({ description: `Most characters of the block. ${settingOf("maxChars")}` }),
  })
  .openapi("RecallInput");

export const recalled = z
  .object({
    facts: z.array(
      fact.extend({
        score: z.number(),
        distance: z.number().optional().openapi({ description: "1 minus the cosine; absent without an embedding" }),
      }),
    ),
    quotes: z.array(plain.recalledQuote),
    block: z
      .string()
      .openapi({ description: "Facts, then quotes, as a text for the prompt; empty if nothing is recalled" }),
    shown: z.int().openapi({ description: "How many of the facts are in the block" }),
    shownQuotes: z.int().openapi({ description: "How many of the quotes are in the block" }),
    mode: searchMode,
    warning: z.string().optional(),
  })
  .openapi("Recalled");

export const captureInput = z
  .strictObject({
    messages: z.array(named(turnMessage, "TurnMessage")).min(1).max(MAX_TURN_MESSAGES),
    scope: factScope
      .optional()
      .openapi({ description: "The speaker and place; default: the scope of the session, else facts for everybody" }),
    session: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .openapi({ description: "The conversation that the facts name as their source" }),
    dryRun: z.boolean().optional().openapi({ description: "Store nothing; return what would be stored" }),
  })
  .openapi("CaptureInput");

export const captured = z
  .object({
    facts: z.array(
      z.object({
        id: z.string().optional(),
        status: z.enum(["stored", "duplicate"]).optional(),
        text: z.string(),
        category: plain.factCategory,
        key: z.string().optional(),
        trigger: z.string().openapi({ description: "The rule that matched" }),
        superseded: z.array(z.string()),
      }),
    ),
    stored: z.int(),
    duplicates: z.int(),
    superseded: z.int(),
    warnings: z.array(z.string()),
  })
  .openapi("Captured");
