import { z } from "zod";
import { GLOB_RULE, isGlob } from "./memory-path.ts";
import { bool, modelName, number, setting, whole } from "./setting.ts";

const glob = z.string().min(1).max(256).refine(isGlob, GLOB_RULE);

/** The settings of facts, the single statements that an agent remembers. */
export const factSettings = z.strictObject({
  recall: z
    .strictObject({
      maxInstructions: whole(0, 50, 10, "The most instructions and preferences that every recall returns."),
      maxFacts: whole(1, 50, 5, "The most facts that a recall returns."),
      maxQuotes: whole(
        0,
        20,
        5,
        "The most passages of conversations and files that a recall returns; 0: it searches facts only.",
      ),
      maxDistance: setting(
        z.union([z.literal("auto"), z.number().min(0).max(2)], "must be auto or a number from 0 to 2"),
        "auto",
        "The largest cosine distance of a recalled fact from the message; `auto`: facts well above chance.",
      ),
      maxChars: whole(200, 100_000, 4000, "The most characters of the recalled block."),
    })
    .optional(),
  capture: z
    .strictObject({
      enabled: bool(true, "Store the user's statements as facts."),
      onAppend: bool(true, "Capture the user's statements when messages are appended, unless the call sets `capture`."),
      extract: bool(false, "After the rules, also ask the chat model for facts."),
      model: modelName("The chat model to use, if not the operator's."),
    })
    .optional(),
  ingest: z
    .strictObject({
      paths: setting(
        z.array(glob).min(1).max(20),
        ["skills/**/*.md", "TOOLS.md", "AGENTS.md"],
        "Globs of the files to extract facts from.",
      ),
      chunkSize: whole(200, 8000, 800, "Length of the pieces of a file that the chat model reads, in characters."),
      model: modelName("The chat model to use, if not the operator's."),
    })
    .optional(),
  halfLives: z
    .strictObject({
      stable: number(0.01, 36_500, 365, "Days after which the age factor of a fact of this class has dropped halfway."),
      active: number(0.01, 36_500, 30, "The same as `stable`, for this class."),
      session: number(0.01, 36_500, 1, "The same as `stable`, for this class."),
      transient: number(0.01, 36_500, 0.25, "The same as `stable`, for this class."),
    })
    .optional(),
  retention: z
    .strictObject({
      expiredDays: whole(0, 36_500, 0, "A fact is deleted this many days after `expiresAt`."),
      supersededDays: whole(
        0,
        36_500,
        undefined,
        "A fact is deleted this many days after it was superseded; unset: never.",
      ),
      afterHalfLives: number(
        1,
        1000,
        undefined,
        "A fact is deleted this many half-lives after its last confirmation; unset: never.",
      ),
    })
    .optional(),
});
