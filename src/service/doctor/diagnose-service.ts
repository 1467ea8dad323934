import { holds } from "../../agents/access.ts";
import { AppError } from "../../base/errors.ts";
import { inspectQueue } from "../../queue/pg-boss-sql.ts";
import { type AgentStatus, agentStatus } from "../admin/agent-status.ts";
import { fleetStatus } from "../admin/migrate-fleet.ts";
import { findAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import { diagnoseDatabase, noWorker } from "./diagnose-database.ts";
import { diagnoseProvider } from "./diagnose-provider.ts";
import { type Finding, failed, ok, some, warning } from "./finding.ts";

/** As many jobs as are counted one by one. */
const MOST_JOBS = 1000;
/** What only says that the caller has nothing to do with this agent. */
const NOT_THE_CALLERS = new Set(["forbidden", "agent_not_found", "agent_disabled", "invalid_agent_id"]);

/**
 * What is wrong with the service as far as the caller may know: for the operator all of it, for others an agent, and the jobs of
 * their tenant or of the agent that their key is for. Nothing is changed; the provider is asked for one embedding.
 *
 * @param agentId without it, the agent of a key that is for one, else `main`
 */
export async function diagnoseService(deps: Deps, caller: Caller, agentId?: string): Promise<Finding[]> {
  const memory = await memoryFindings(deps, caller, agentId ?? caller.agentId ?? "main");
  if (caller.agentId !== undefined || !holds(caller, "admin")) return [...memory, await ownQueue(deps, caller)];
  const { kind } = deps.db;
  const how = { kind, migrations: deps.migrations, now: deps.clock(), isServed: true };
  const findings = await diagnoseDatabase(deps.db, how);
  const { failed: spoiled } = await fleetStatus(deps, caller);
  if (spoiled.length === 0) return [...memory, ...findings];
  const what = `${some(spoiled.length, "agent")} could not be migrated.`;
  const trouble = failed("migrations", what, "See recollect fleet status, then recollect fleet migrate.");
  return [...memory, ...findings.map((one) => (one.check === "migrations" ? trouble : one))];
}

async function memoryFindings(deps: Deps, caller: Caller, agentId: string): Promise<Finding[]> {
  try {
    const { profile } = await findAgent(deps, caller, "agent:read", agentId);
    const { settings } = profile;
    return [
      ok("key", `The key is accepted and may read the agent ${agentId}.`),
      await diagnoseProvider(settings.provider, () => deps.embedders.forSettings(settings)),
      indexOf(await agentStatus(deps, caller, agentId)),
    ];
  } catch (error) {
    if (!(error instanceof AppError) || !NOT_THE_CALLERS.has(error.code)) throw error;
    const remedy = "Name an agent of this key with --agent, or use a key with the scope agent:read.";
    return [warning("key", `The key is accepted, but: ${error.message}`, remedy)];
  }
}

function indexOf({
  agentId,
  provider,
  model,
  vector,
  pendingEmbeddings,
  rejectedChunks,
  reindex,
}: AgentStatus): Finding {
  if (rejectedChunks > 0)
    return warning(
      "index",
      `${provider} refused ${some(rejectedChunks, "chunk")} of ${agentId}; they are found by keyword only.`,
      "The server's log names the reason; a reindex tries again.",
    );
  if (vector.unread.length > 0)
    return warning(
      "index",
      `${provider} · ${model} does not read ${vector.unread.join(", ")}: what ${agentId} has in that script is found by keyword only.`,
      "Choose a multilingual model, such as those of openai, gemini or a GGUF file; the index is then built anew.",
    );
  const pending = pendingEmbeddings > 0 ? `${some(pendingEmbeddings, "chunk")} of ${agentId} still to embed` : "";
  const anew = reindex.state === "none" ? "" : `a new index of ${agentId} is ${reindex.state}`;
  const said = [pending, anew].filter(Boolean).join("; ") || `everything of ${agentId} is indexed`;
  return ok("index", `${said.charAt(0).toUpperCase()}${said.slice(1)}.`);
}

/** Whether somebody takes the caller's jobs. */
async function ownQueue({ db, queue }: Deps, { tenantId, agentId }: Caller): Promise<Finding> {
  const [waiting = [], lost = []] = await Promise.all(
    (["waiting", "failed"] as const).map((state) => queue.list({ tenantId, agentId, state, limit: MOST_JOBS })),
  );
  const load = waiting.length === 0 ? "no job waits" : `${some(waiting.length, "job")} waiting`;
  const { workerSilentMs } = await inspectQueue(db);
  const silent = noWorker(workerSilentMs, load);
  if (silent) return silent;
  if (lost.length === 0) return ok("queue", `A worker is alive; ${load}.`);
  const remedy = "See recollect jobs list --state failed, then recollect jobs retry <id>.";
  return warning("queue", `${some(lost.length, "job")} failed for good; ${load}.`, remedy);
}
