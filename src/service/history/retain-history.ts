import { DAY_MS } from "../../base/clock.ts";
import { yieldToLoop } from "../../base/yield-to-loop.ts";
import { pruneFactChanges } from "../../db/agent/facts/fact-changes.ts";
import { pruneVersions } from "../../db/agent/files/file-versions.ts";
import { deleteExpired } from "../../db/agent/history/snapshots.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import type { FileDeps } from "../files/file-deps.ts";

/** The most versions that one transaction deletes. */
const BATCH = 500;
/**
 * The most versions of one path that are kept, so that a file that is written every second does not
 * fill the quota with small versions.
 */
const MOST_OF_PATH = 1000;

/**
 * Deletes expired snapshots. Also deletes versions and fact changes that are older than
 * `history.retentionDays` and that no snapshot needs. It is a step of the sync; each batch is one
 * transaction.
 */
export async function retainHistory(deps: FileDeps, agent: KnownAgent, signal: AbortSignal): Promise<void> {
  const now = deps.clock();
  const endedBefore = new Date(now.getTime() - agent.settings.history.retentionDays * DAY_MS);
  await withAgentTransaction(deps.db, agent, async (tx) => {
    await deleteExpired(tx, agent.schema, now);
    await pruneFactChanges(tx, agent.schema, endedBefore);
  });
  const prune = { endedBefore, most: MOST_OF_PATH, limit: BATCH };
  while (!signal.aborted) {
    const gone = await withAgentTransaction(deps.db, agent, async (tx) => {
      const pruned = await pruneVersions(tx, agent.schema, prune);
      const delta = { files: 0, bytes: 0, chunks: 0, facts: 0, historyBytes: -pruned.bytes };
      if (pruned.versions > 0) await takeQuota(await tx.asService(), agent, delta);
      return pruned.versions;
    });
    if (gone < BATCH) return;
    await yieldToLoop();
  }
}
