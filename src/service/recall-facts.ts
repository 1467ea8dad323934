import type { FactScope } from "../db/agent/facts.ts";
import type { SearchMode } from "../search/fuse.ts";
import { recallBlock } from "../search/recall-block.ts";
import type { Caller, Deps } from "./deps.ts";
import { findAgent } from "./find-agent.ts";
import type { Fact } from "./present-fact.ts";
import { searchFactsOf } from "./search-facts.ts";

export interface RecallInput {
  /** What the user says. */
  message: string;
  /** Who says it and where: facts of others are never recalled. */
  scope?: FactScope | undefined;
  maxFacts?: number | undefined;
  /** Cosine distance. */
  maxDistance?: number | undefined;
  /** Of the block. */
  maxChars?: number | undefined;
}

export interface RecallOutput {
  facts: (Fact & { score: number; distance?: number })[];
  /** The facts as text for a prompt; empty when there are none. */
  block: string;
  /** How many of the facts the block has room for. */
  shown: number;
  mode: SearchMode;
  warning?: string;
}

/** So many times the facts that are wanted are looked at: what shares words with the message may be far from it. */
const POOL_FACTOR = 4;
/** Of a longer message the end counts: what is asked stands there. */
const MAX_MESSAGE_CHARS = 8192;

/**
 * What is remembered that bears on a user's message, to be placed before the model's turn: facts that hold now, within a cosine
 * distance of the message, best first. Without vectors (no provider, or it is out) those that share rare words with it.
 *
 * @throws as `searchFacts`
 */
export async function recallFacts(
  deps: Deps,
  caller: Caller,
  agentId: string,
  input: RecallInput,
): Promise<RecallOutput> {
  const agent = await findAgent(deps, caller, "search", agentId);
  const { recall } = agent.profile.settings.facts;
  const { maxFacts = recall.maxFacts, maxDistance = recall.maxDistance, maxChars = recall.maxChars } = input;
  const found = await searchFactsOf(deps, caller, agent, {
    query: input.message.slice(-MAX_MESSAGE_CHARS).toWellFormed(),
    scope: input.scope ?? {},
    maxResults: maxFacts * POOL_FACTOR,
    minScore: 0,
  });
  const near = found.facts.flatMap(({ vectorScore, textScore, ...fact }) => {
    if (found.mode === "keyword") return [fact];
    const distance = vectorScore === undefined ? undefined : 1 - vectorScore;
    return distance !== undefined && distance <= maxDistance ? [{ ...fact, distance }] : [];
  });
  const facts = near.slice(0, maxFacts);
  const texts = facts.map(({ text, category, validFrom }) => ({ text, category, since: new Date(validFrom) }));
  return {
    facts,
    ...recallBlock(texts, maxChars),
    mode: found.mode,
    ...(found.warning === undefined ? {} : { warning: found.warning }),
  };
}
