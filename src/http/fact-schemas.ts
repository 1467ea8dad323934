import { z } from "@hono/zod-openapi";
import { factScope, timeZone } from "../service/core/scalar-schemas.ts";
import * as plain from "../service/facts/fact-schemas.ts";
import { explanation, searchDebug, searchMode } from "../service/search/search-schemas.ts";
import { MAX_MESSAGE_CHARS, turnMessage, VALUES_OF_MESSAGE } from "../service/sessions/message-schemas.ts";
import { named, paged } from "./schemas.ts";

/** The most messages of one turn. */
const MAX_TURN_MESSAGES = 50;
/** The most JSON values of one turn. */
export const MAX_TURN_VALUES = MAX_TURN_MESSAGES * VALUES_OF_MESSAGE;

export const fact = named(plain.fact, "Fact");
const { score, vectorScore, textScore } = plain.factHit.shape;
export const factHit = fact
  .extend({ score, vectorScore, textScore, explain: explanation.optional() })
  .openapi("FactHit", { description: "A fact that a search found" });
export const factInput = named(plain.factInput, "FactInput");
export const factChange = named(plain.factChange, "FactChange");
export const storedFact = named(plain.storedFact, "StoredFact");
export const changedFact = plain.storedFact
  .extend({ status: z.enum(["updated", "stored", "duplicate"]) })
  .openapi("ChangedFact", { description: "The result of a change; `id` is the id of the version that now holds" });
export const storedFacts = z
  .object({ facts: z.array(storedFact) })
  .openapi("StoredFacts", { description: "The results for a list of facts, in the order of the list" });
export const factHistory = z
  .object({ facts: z.array(fact) })
  .openapi("FactHistory", { description: "The versions of a fact, oldest first" });
const remaining = {
  stillIn: z.array(z.string()).optional().openapi({
    description: "At most three conversations and files that the facts came from and that still exist",
  }),
  note: z.string().optional().openapi({ description: "Where the words still stand, and how to remove them" }),
};

export const forgottenFacts = z
  .object({ forgotten: z.array(z.string()), ...remaining })
  .openapi("ForgottenFacts", { description: "The ids of the deleted versions" });
export const forgottenOfSource = z
  .object({
    forgotten: z.array(z.string()),
    more: z.boolean().openapi({ description: "Whether the source has more facts than one call deletes" }),
    ...remaining,
  })
  .openapi("ForgottenOfSource", { description: "The ids of the deleted facts" });
/** The most ids of one request to forget. */
const MAX_FORGOTTEN_IDS = 1000;
const forgetLabel = z.string().min(1).max(200).optional();

export const forgetInput = z
  .strictObject({
    ids: z.array(plain.factId).min(1).max(MAX_FORGOTTEN_IDS).optional().openapi({ description: "These facts" }),
    person: forgetLabel.openapi({
      description:
        "All facts about this person, or for the user of this name, also ended ones. Names and users are compared without case",
    }),
    subject: forgetLabel.openapi({ description: "All facts about this person or thing" }),
    user: forgetLabel.openapi({ description: "All facts for this user, whose id is compared exactly" }),
    source: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .openapi({ description: "All facts from this conversation or file: a session's key or path, or a file's path" }),
    sessions: z.boolean().default(false).openapi({
      description:
        "With `person` or `user`: also delete the conversations for this person or user, with their messages",
    }),
    snapshots: z.boolean().default(false).openapi({ description: "Remove the facts from snapshots too" }),
    dryRun: z.boolean().default(false).openapi({ description: "Delete nothing; count" }),
  })
  .refine(
    ({ ids, person, subject, user, source }) =>
      [ids, person, subject, user, source].some((value) => value !== undefined),
    "needs ids, person, subject, user or source",
  )
  .refine(
    ({ sessions, person, user }) => !sessions || (person === undefined) !== (user === undefined),
    "sessions needs either person or user",
  )
  .openapi("ForgetInput", { description: "The facts to forget; they meet all of the conditions" });

const speaksIn = z
  .object({
    sessions: z.int(),
    complete: z.boolean().openapi({ description: "False: there may be more; 1,000 conversations were looked into" }),
    named: z
      .array(z.object({ session: z.string(), user: z.string().optional() }))
      .openapi({ description: "At most 20 of them, each with the user of its scope" }),
  })
  .openapi("SpeaksIn", {
    description:
      "With `person` and `sessions`: the conversations of other users, or without a user, in which messages have the " +
      "person's name. They are not deleted; absent if there are none",
  });

export const forgottenMany = z
  .object({
    dryRun: z.boolean(),
    facts: z
      .int()
      .openapi({ description: "How many facts were deleted, versions included; in a dry run how many there are" }),
    sessions: z.int(),
    messages: z.int().openapi({ description: "How many messages these conversations had" }),
    forgotten: z.array(z.string()).openapi({ description: "The ids of the deleted facts; empty in a dry run" }),
    more: z.boolean().openapi({ description: "Whether one call does not delete everything; repeat it" }),
    speaksIn: speaksIn.optional(),
    ...remaining,
  })
  .openapi("ForgottenMany", { description: "The facts and conversations that were deleted, or would be" });

export const factPage = paged({
  facts: z.array(fact),
  total: z.int().optional().openapi({ description: "With `total`: how many facts the list has on all pages" }),
  totalIsExact: z
    .boolean()
    .optional()
    .openapi({ description: "With `total`. False: the list has at least so many facts; 50,000 were looked at" }),
}).openapi("FactPage");

const lastSaid = z.string().openapi({ description: "When one of the facts was last said" });

export const factPeople = z
  .object({
    people: z.array(
      z.object({
        subject: z.string().openapi({ description: "The name, as the latest fact spells it" }),
        facts: z.int(),
        latest: lastSaid,
      }),
    ),
    withoutSubject: z.int().openapi({ description: "How many facts have no subject" }),
    users: z
      .array(
        z.object({
          user: z.string().openapi({ description: "The `user` of the facts' scope" }),
          subject: z.string().nullable().openapi({
            description: "The subject of most of these facts, as a rule the user's name; null: none has one",
          }),
          facts: z.int(),
          latest: lastSaid,
        }),
      )
      .openapi({ description: "The users that facts are for" }),
    withoutUser: z.int().openapi({ description: "How many facts are for no user in particular" }),
    complete: z.boolean().openapi({ description: "False: only the newest 50,000 facts were counted" }),
  })
  .openapi("FactPeople", {
    description: "The people and things that facts are about, and the users that they are for",
  });

export const factSearch = plain.factSearch
  .extend({
    explain: z.boolean().optional().openapi({ description: "How each hit was ranked, and both arms' lists" }),
  })
  .openapi("FactSearch");

export const foundFacts = z
  .object({
    facts: z.array(factHit).openapi({ description: "Best first" }),
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
    timezone: timeZone
      .optional()
      .openapi({ description: "Where days such as yesterday begin and end; default: the agent's setting `timezone`" }),
    subject: plain.factSearch.shape.subject.describe(
      "Only facts about this person or thing; passages are not filtered",
    ),
    maxInstructions: z
      .int()
      .min(0)
      .max(50)
      .optional()
      .openapi({ description: settingOf("maxInstructions") }),
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
    instructions: z.array(fact).openapi({
      description:
        "The instructions and preferences that hold whatever the message says, besides those in `facts`. Instructions first, then " +
        "the most important and newest. Facts that were extracted from files are left out",
    }),
    facts: z
      .array(
        fact
          .extend({
            score: z.number(),
            distance: z.number().optional().openapi({
              description: "The cosine distance from the message: 1 minus the cosine; absent without an embedding",
            }),
          })
          .openapi("RecalledFact", { description: "A fact that bears on a message" }),
      )
      .openapi({ description: "Best first" }),
    quotes: z.array(plain.recalledQuote),
    block: z.string().openapi({
      description: "Facts, then quotes, as a text for the prompt; empty if nothing bears on the message",
    }),
    instructionsBlock: z.string().openapi({
      description: "The instructions as a text for the prompt, to place before `block`; empty if there are none",
    }),
    shown: z.int().openapi({ description: "How many of the facts are in the block" }),
    shownQuotes: z.int().openapi({ description: "How many of the quotes are in the block" }),
    shownInstructions: z.int().openapi({ description: "How many of the instructions are in `instructionsBlock`" }),
    mode: searchMode,
    certain: z.literal(false).optional().openapi({
      description:
        "Set if nothing certain was found, as `block` says: facts and quotes are only the nearest texts, or of other days than the message asks about",
    }),
    note: z.string().optional().openapi({
      description:
        "The sentence that says that no text is of the days that the message asks about, which `block` has too",
    }),
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
  .openapi("CaptureInput", { description: "A turn to extract facts from; the turn itself is not stored" });

const capturedFact = z
  .object({
    id: z.string().optional().openapi({ description: "The fact's id; a dry run has no `id` and no `status`" }),
    status: z.enum(["stored", "duplicate"]).optional(),
    text: z.string(),
    subject: z.string().optional().openapi({ description: "The speaker, or the person or thing that it is about" }),
    category: plain.factCategory,
    key: z.string().optional(),
    trigger: z.string().openapi({ description: "The rule that matched" }),
    superseded: z.array(z.string()),
  })
  .openapi("CapturedFact", { description: "A statement that was found in a turn" });

export const captured = z
  .object({
    facts: z.array(capturedFact),
    stored: z.int(),
    duplicates: z.int(),
    superseded: z.int(),
    warnings: z.array(z.string()),
  })
  .openapi("Captured");
