import { z } from "zod";
import { alsoNamed, markSchema } from "../../base/describe-schema.ts";
import {
  factHit,
  factInput,
  factSearch,
  MAX_FORGET,
  MAX_REPLACED,
  recalledQuote,
  storedFact,
} from "../facts/fact-schemas.ts";
import { addFacts } from "../facts/store-facts.ts";
import { getMemory } from "../search/get-memory.ts";
import { searchMemory } from "../search/search-memory.ts";
import {
  getInput,
  linesNotFound,
  note,
  offeredSearch,
  readLines,
  searchAnswer,
  searchInput,
  searchMode,
  searchUnavailable,
  unavailable,
} from "../search/search-schemas.ts";
import { defineTool, type MemoryTool } from "./define-tool.ts";
import { memoryForget, memoryRecall, scopeOfReplaced } from "./fact-tools.ts";
import { factOfShown } from "./shown-fact.ts";

/**
 * Searches the whole memory. A model is not offered `explain`, because its long answer is for
 * people.
 */
export const memorySearchTool = defineTool({
  name: "memory_search",
  title: "Search memory",
  description:
    "Search long-term memory (past conversations, notes, documents and remembered facts) by meaning and by exact words. " +
    "Mandatory before answering anything about earlier work, decisions, dates, people, preferences or to-dos. " +
    "Returns the best passages with path, lines and a score: 0.5 is as likely an answer as not. With certain: false they are only the " +
    "nearest passages, and probably no answer. sharedBy names the agent that shares a " +
    "passage, if it is another's. Use memory_get to read more at a path. " +
    "If the result says disabled, tell the user its warning and action.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: searchInput,
  output: z.union([searchAnswer, searchUnavailable]),
  nothing: { results: [] },
  example: { query: "Where do we deploy?" },
  offered: offeredSearch,
  run: searchMemory,
});

/** Reads some lines of the memory. */
const memoryGetTool = defineTool({
  name: "memory_get",
  title: "Read from memory",
  description:
    "Read lines of one file, conversation or fact in memory, by a path from memory_search. Ask only for the lines you need. " +
    "An answer has 120 lines by default and at most 12,000 characters; nextFrom says where to continue. A longer line is cut: " +
    "read on in it with the same from and nextChar as fromChar. A fact also shows its validity, what it replaced and its source.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: getInput,
  example: { path: "memory/2026-05-18.md" },
  output: z.union([readLines, linesNotFound]),
  run: getMemory,
});

const storeOutput = z.object({ facts: z.array(storedFact), note });

/** The most characters of an id in any form. */
const MAX_ID_CHARS = 1024;

/** The id of a fact, also in the forms of its path and of a citation, as memory_search shows them. */
const shownFactId = markSchema(
  z
    .string()
    .max(MAX_ID_CHARS)
    .refine((id) => factOfShown(id) !== undefined, "must be the id of a fact, such as 7 or facts/7")
    .transform((id) => factOfShown(id) ?? id),
  "words",
);

const shownFactIds = z.array(shownFactId).max(MAX_REPLACED).optional();

const storeInput = factInput.extend({
  supersedes: shownFactIds.describe("Ids of the facts that this one replaces"),
  replaces: shownFactIds.describe(
    "Ids of the facts that this one corrects or replaces, as memory_recall and memory_search show them",
  ),
});

/** Returns the ids of the facts that a statement replaces. */
function replacedBy({ supersedes = [], replaces = [] }: z.output<typeof storeInput>): string[] {
  return [...new Set([...supersedes, ...replaces])];
}

/**
 * Stores one statement. Programs may set its source and the time from which it holds; a model may
 * not. `replaces` is the model's name for `supersedes`.
 */
const memoryStoreTool = defineTool({
  name: "memory_store",
  title: "Remember a fact",
  description:
    "Remember one statement for later conversations: a standing instruction, a preference, a decision, who somebody is, how something " +
    "is done. Write one self-contained sentence, and name the person or thing that it is about as subject. A known statement is not " +
    "stored twice. The new statement replaces the facts in replaces, and the previous one of the same key and subject.",
  scope: "agent:write",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: storeInput,
  example: { text: "Ana prefers tea to coffee." },
  output: storeOutput,
  offered: storeInput.omit({ source: true, decayClass: true, validFrom: true, validTo: true, supersedes: true }),
  whenToUse:
    "Call memory_store, one self-contained sentence each, when you learn a standing instruction (category instruction), a correction, a " +
    "decision, or a fact about a person. Give the subject (whom or what it is about) and, in replaces, the ids of facts that it corrects. " +
    "Never store passwords or keys.",
  impliedScope: async (deps, caller, agentId, input, user) => {
    const { data } = storeInput.safeParse(input);
    return data && scopeOfReplaced(deps, caller, agentId, { ids: replacedBy(data), user });
  },
  run: async (deps, caller, agentId, input) => {
    const { replaces: _, ...fact } = input;
    return { facts: await addFacts(deps, caller, agentId, [{ ...fact, supersedes: replacedBy(input) }]) };
  },
});

const recallAnswer = z.object({
  facts: z.array(factHit),
  quotes: z.array(recalledQuote).optional(),
  mode: searchMode,
  certain: z.literal(false).optional().describe("Set if nothing stands out of chance: these are only the nearest"),
  warning: z.string().optional(),
  note,
});
const recallOutput = z.union([recallAnswer, z.object({ facts: z.array(factHit).max(0), ...unavailable.shape, note })]);

/** Searches the stored facts. */
const memoryRecallTool = defineTool({
  name: "memory_recall",
  title: "Recall",
  description:
    "Get what is known about a person or topic: facts first, then short passages of conversations and notes. Superseded and expired " +
    "facts are left out. With asOf, categories or tags it searches facts only.",
  scope: "search",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  input: factSearch,
  example: { query: "What does Ana drink?" },
  output: recallOutput,
  nothing: { facts: [] },
  offered: factSearch.omit({ minScore: true, minImportance: true }),
  whenToUse:
    "memory_recall returns facts first: call it for what is true of a person or topic, now or on an earlier day.",
  run: memoryRecall,
});

/**
 * The input is one object, not a union of two, because models' APIs accept no union at the top of
 * an input.
 */
const forgetInput = factSearch
  .pick({ query: true, maxResults: true, scope: true })
  .extend({
    query: alsoNamed(factSearch.shape.query.optional(), "text"),
    ids: alsoNamed(
      z
        .array(markSchema(z.string().max(MAX_ID_CHARS), "words"))
        .min(1)
        .max(MAX_FORGET)
        .optional(),
      "path",
      "factId",
      "factIds",
    ).describe("Ids of the facts to forget, such as 7 or facts/7"),
  })
  .superRefine(({ ids, query }, context) => {
    // A model that has the ids of its candidates may send its query with them. The ids say more.
    if (ids === undefined && query === undefined)
      context.addIssue('needs either ids to forget, for example {"ids":["7"]}, or a query to find candidates');
  });

/** Deletes facts by id. A query only finds candidates. */
const memoryForgetTool = defineTool({
  name: "memory_forget",
  title: "Forget facts",
  description:
    "Forget facts for good, by their ids. With a query and no ids it only returns candidates and forgets " +
    "nothing: show them to the user, then call it again with the chosen ids. Conversations and files that say it stay; " +
    "the note names them.",
  scope: "agent:write",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: forgetInput,
  example: { query: "What does Ana drink?" },
  output: z.object({ facts: z.array(factHit), forgotten: z.array(z.string()), note }),
  whenToUse:
    "When the user asks you to forget something, call memory_forget with a query to find it, then with the ids.",
  run: (deps, caller, agentId, { ids, query = "", maxResults, scope }) =>
    memoryForget(deps, caller, agentId, ids === undefined ? { query, maxResults, scope } : { ids, scope }),
});

/** Every tool for a model, in the order in which the model gets them. */
export const MEMORY_TOOLS: readonly MemoryTool[] = [
  memorySearchTool,
  memoryGetTool,
  memoryStoreTool,
  memoryRecallTool,
  memoryForgetTool,
];
