import { sqlState } from "../../db/pg-error.ts";
import { SYNC_JOB } from "../../queue/job-contracts.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { SearchDeps } from "./search-deps.ts";

/** A search looks for what has changed in an agent's folders at most this often. */
const SEARCH_SYNC_EVERY_MS = 60_000;

/**
 * Has an agent's folders synced when it is searched: whether they have changed is only known by looking, so each process asks
 * at most once a minute. The search neither waits for the sync nor fails with it.
 */
export async function syncOnSearch(deps: SearchDeps, agent: KnownAgent): Promise<void> {
  if (!agent.settings.sync.onSearch || agent.settings.extraPaths.length === 0) return;
  const now = deps.clock().getTime();
  if (now - (deps.searchSyncs.get(agent.schema) ?? 0) < SEARCH_SYNC_EVERY_MS) return;
  deps.searchSyncs.set(agent.schema, now);
  const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
  await deps.queue.send(deps.db, SYNC_JOB, payload, "unless one waits").catch((error: unknown) => {
    deps.logger.warn({ agentId: agent.agentId, code: sqlState(error) }, "a sync could not be asked for");
  });
}
