import { withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import { indexesAlike, lastCancelled, liveGenerations, type NewGeneration } from "../../db/agent/space/generations.ts";
import { REINDEX_JOB } from "../../queue/job-contracts.ts";
import type { KnownAgent } from "../agent/find-agent.ts";
import type { Deps } from "../deps.ts";

/** Has the wanted generation built, unless one is being built or somebody has cancelled this one. */
export async function askForReindex(deps: Deps, agent: KnownAgent, wanted: NewGeneration): Promise<void> {
  const due = await withAgentTransaction(deps.db, agent, async (tx) => {
    const { building } = await liveGenerations(tx, agent.schema);
    const cancelled = await lastCancelled(tx, agent.schema);
    return !building && !(cancelled && indexesAlike(cancelled, wanted));
  });
  const payload = { tenantId: agent.tenantId, agentId: agent.agentId, anew: true };
  // Many ask until the build begins.
  if (due) await deps.queue.send(deps.db, REINDEX_JOB, payload, "unless one waits");
}
