import { SYNC_JOB } from "../../queue/job-contracts.ts";
import type { Caller } from "../core/core-deps.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import { findOrCreateAgent } from "./find-agent.ts";

/**
 * Has an agent's memory synced in the background: the trigger by hand.
 *
 * @throws AppError as `findOrCreateAgent`
 */
export async function requestSync(deps: EmbeddingDeps, caller: Caller, agentId: string): Promise<void> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  await deps.queue.send(deps.db, SYNC_JOB, { tenantId: agent.tenantId, agentId });
}
