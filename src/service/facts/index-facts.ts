import { unindexedFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { lockFacts } from "../../db/agent/facts/facts.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { type Generation, liveGenerations, textLanguages } from "../../db/agent/schema/generations.ts";
import type { IndexedFact } from "../../ingest/fact-text.ts";
import { EMBED_JOB, REINDEX_JOB } from "../../queue/job-contracts.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { cachedEmbeddings } from "../embedding/embedder-for.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { replaceChunks } from "../files/store-chunks.ts";

const BATCH_FACTS = 200;

/**
 * The outcome of filling a new index: done, to be continued later (`stopped`, `others wait`), or
 * cancelled meanwhile.
 */
export type Filled = "done" | "stopped" | "others wait" | "given up";

/**
 * Stores the missing facts in a generation that is being built. Includes past facts, because a
 * search may ask for an earlier time.
 */
export async function indexFactsInto(
  deps: FileDeps,
  agent: KnownAgent,
  building: Generation,
  signal: AbortSignal,
): Promise<Filled> {
  for (let afterId = "0"; ; ) {
    if (signal.aborted) return "stopped";
    const page = { afterId, limit: BATCH_FACTS };
    const facts = await withAgentTransaction(deps.db, agent, (tx) =>
      unindexedFacts(tx, agent.schema, building.id, page),
    );
    const last = facts.at(-1);
    // No fact is missing, and from now on every write stores its facts in this generation too.
    if (!last) return "done";
    if (!(await storePage(deps, agent, building, facts))) return "given up";
    afterId = last.id;
    if (await deps.queue.othersWait(REINDEX_JOB)) return "others wait";
  }
}

/** @returns false when the generation is no longer being built */
async function storePage(
  deps: FileDeps,
  agent: KnownAgent,
  building: Generation,
  facts: readonly (IndexedFact & { id: string })[],
): Promise<boolean> {
  const chunks = await deps.preparer.prepareFacts(agent.tenantId, { facts, languages: textLanguages(building) });
  const hashes = chunks.map((chunk) => chunk.hash);
  const cached = await cachedEmbeddings(deps, agent, building, hashes);
  return withAgentTransaction(deps.db, agent, async (tx) => {
    await lockFacts(tx, agent.schema);
    const { building: current } = await liveGenerations(tx, agent.schema);
    if (current?.id !== building.id) return false;
    // A fact may have been deleted since it was read, or stored by another job.
    const page = { afterId: String(BigInt(facts[0]?.id ?? "1") - 1n), limit: facts.length };
    const left = new Set((await unindexedFacts(tx, agent.schema, building.id, page)).map((fact) => fact.id));
    const next = facts.flatMap(({ id }, index) => {
      const chunk = chunks[index];
      return chunk && left.has(id) ? [{ owner: { factId: id }, old: [], next: [chunk] }] : [];
    });
    const { pending } = await replaceChunks(tx, building, next, cached);
    const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
    if (pending.size > 0) await deps.queue.send(await tx.asService(), EMBED_JOB, payload);
    return true;
  });
}
