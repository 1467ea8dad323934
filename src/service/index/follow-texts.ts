import { AppError } from "../../base/errors.ts";
import { newestTexts } from "../../db/agent/chunks/chunks.ts";
import { withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import { type Generation, indexesAlike, serves } from "../../db/agent/space/generations.ts";
import { languageOf } from "../../search/words/text-language.ts";
import { requestReindex } from "../agent/request-reindex.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { targetGeneration } from "../embedding/embedder-for.ts";
import type { IndexDeps } from "./index-deps.ts";

/** So many of the newest chunks are looked at, which takes some milliseconds. */
const LOOKED_AT = 20;

/**
 * Has an index of before indexes followed their texts built anew when half of what was written last is in another language than its
 * own: most such indexes have the right one by chance, and to rebuild all of a fleet would be for nothing. Nor is one whose
 * embeddings would have to be paid for again, which is its operator's to ask for.
 */
export async function followTexts(deps: IndexDeps, agent: KnownAgent, generation: Generation): Promise<void> {
  if (generation.followsText || agent.settings.query.language !== "auto" || !isFree(agent, generation)) return;
  const wanted = await targetGeneration(deps, agent).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (!wanted || indexesAlike(generation, wanted) || !serves(generation, wanted)) return;
  const texts = await withAgentReads(deps.db, agent, (tx) => newestTexts(tx, agent.schema, generation.id, LOOKED_AT));
  const others = texts.filter((text) => languageOf(text, [generation.language]) !== generation.language);
  if (others.length > 0 && 2 * others.length >= texts.length) await requestReindex(deps, agent, wanted);
}

/** Whether the cache has the embeddings. */
function isFree({ settings: { cache } }: KnownAgent, { dimensions, statsChunkCount }: Generation): boolean {
  return dimensions === null || (cache.enabled && (statsChunkCount ?? 0) <= cache.maxEntries);
}
