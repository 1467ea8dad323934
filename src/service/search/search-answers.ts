import { LRUCache } from "lru-cache";
import { sha256 } from "../../base/ids.ts";
import type { Generation } from "../../db/agent/space/generations.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { CACHE_TTL_MS } from "../core/purge-stale-entries.ts";
import type { SearchInput, SearchOutput } from "./search-types.ts";

/** Characters of all answers together: at most about as many bytes, twice that when a text is not Latin. */
const MAX_CHARS = 16_000_000;
const HIT_CHARS = 500;

/** Answers that this process remembers; for a time, so that an erased agent's texts are gone from every process. */
export function createSearchAnswers(): LRUCache<string, SearchOutput> {
  return new LRUCache({
    ...{ maxSize: MAX_CHARS, ttl: CACHE_TTL_MS },
    // What else a hit says is at most about as long as its path, thrice.
    sizeCalculation: ({ results }) =>
      results.reduce(
        (size, hit) => size + HIT_CHARS + hit.snippet.length + (hit.text?.length ?? 0) + 3 * hit.path.length,
        1,
      ),
  });
}

/**
 * What decides an answer: the state of the agent's index, by the counter that every change raises in its own transaction, its
 * settings, of which nearly all bear on it, and the question. The counter is read before the search, so an answer that is
 * remembered is never older than it. As a hash: the memory is measured by the answers, and a question may be longer.
 *
 * @returns undefined for a search whose answer depends on more: the time, or how it came about
 */
export function answerKey(agent: KnownAgent, generation: Generation, input: SearchInput): string | undefined {
  const { schema, settings } = agent;
  if (input.explain || settings.query.hybrid.temporalDecay.enabled) return undefined;
  return sha256(JSON.stringify([schema, generation.id, generation.changes, settings, input]));
}
