import { AppError } from "../../base/errors.ts";
import { rememberBriefly } from "../../base/remember-briefly.ts";
import { countOf } from "../../base/text/count-of.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { Config } from "../../config/config.ts";
import { takingLong } from "../../db/pg-limits.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import { inspectQueue, type QueueHealth } from "../../queue/pg-boss-health.ts";
import { type AgentStatus, agentStatus } from "../../service/admin/agent-status.ts";
import { listTenantAgents } from "../../service/admin/manage-agents.ts";
import { fleetStatus } from "../../service/admin/migrate-fleet.ts";
import { findAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { Deps } from "../../service/deps.ts";
import { embeddersWithDeadline } from "../../service/embedding/embedder-for.ts";
import { queryReport } from "../../service/embedding/embedding-usage.ts";
import { holds } from "../../settings/access.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import { diagnoseDatabase, noWorker, retriesSaid } from "./diagnose-database.ts";
import { diagnoseEnvironment } from "./diagnose-environment.ts";
import { type AnswerAbout, diagnoseProvider } from "./diagnose-provider.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

/** The most agents that are searched for a name like the mistyped one. */
const MOST_AGENTS = 1000;
/** The most jobs that are counted one by one. */
const MOST_JOBS = 1000;
/**
 * How long a result is kept. Requests with a tenant's key get the kept result: such a key must not
 * be able to make the service ask the provider, or count the queue, as often as it likes.
 */
const KEPT_MS = 10_000;
const lastAnswer = rememberBriefly<Embedder, Finding>(KEPT_MS);
const lastQueue = rememberBriefly<Deps["db"], { health: QueueHealth; at: string }>(KEPT_MS);
/**
 * Errors that keep an agent's memory from being read and that the doctor must report as a fault.
 */
const UNREADABLE = new Set(["agent_migration_failed", "schema_too_new"]);
/** Errors that only mean that the caller has no access to this agent. */
const NOT_THE_CALLERS = new Set(["forbidden", "agent_not_found", "agent_disabled", "invalid_agent_id"]);

/**
 * Returns what is wrong with the service, as far as the caller may know it. The operator learns
 * everything. Other callers learn about one agent, and about the jobs of their tenant or of the
 * agent that their key is bound to. The provider is asked for one embedding; callers other than the
 * operator cause this at most once in ten seconds.
 *
 * @param agentId without it, the agent that the key is bound to, else `main`
 */
export async function diagnoseService(
  deps: Deps,
  config: Config,
  caller: Caller,
  agentId?: string,
): Promise<Finding[]> {
  const memory = await memoryFindings(deps, caller, agentId ?? caller.agentId ?? "main", agentId !== undefined);
  if (caller.agentId !== undefined || !holds(caller, "admin")) return [...memory, await ownQueue(deps, caller)];
  const { kind } = deps.db;
  const how = { kind, migrations: deps.migrations, now: deps.clock(), isServed: true, kinds: deps.queue.kinds };
  const findings = [
    ...(await diagnoseEnvironment(config, deps.defaults)),
    ...(await takingLong(() => diagnoseDatabase(deps.db, how))),
  ];
  const { failed: spoiled } = await fleetStatus(deps, caller);
  if (spoiled.length === 0) return [...memory, ...findings];
  const what = `${countOf(spoiled.length, "agent")} could not be migrated.`;
  const trouble = failed("migrations", what, "See recollect fleet status, then recollect fleet migrate.");
  return [...memory, ...findings.map((one) => (one.check === "migrations" && one.state !== "failed" ? trouble : one))];
}

async function memoryFindings(deps: Deps, caller: Caller, agentId: string, isNamed: boolean): Promise<Finding[]> {
  try {
    const { profile, agent } = await findAgent(deps, caller, "agent:read", agentId);
    const { settings } = profile;
    return [
      ok("key", `The key is accepted and may read the agent ${agentId}.`),
      await diagnoseProvider(settings.provider, () => embedderNow(deps, settings), {
        ...(holds(caller, "admin") ? {} : { answerAbout: keptAnswer(deps) }),
        reportOf: (embedder) => queryReport(deps, { tenantId: caller.tenantId, agentId }, embedder),
      }),
      agent === undefined
        ? ok("index", `There is no agent ${agentId} yet; its first write creates it.`)
        : indexOf(await agentStatus(deps, caller, agentId)),
    ];
  } catch (error) {
    if (error instanceof AppError && UNREADABLE.has(error.code))
      return [failed("index", error.message, "See recollect fleet status, then recollect fleet migrate.")];
    // A key that is bound to one agent must not learn which other agents exist.
    const seesAll = caller.agentId === undefined;
    if (isNamed && seesAll && error instanceof AppError && error.code === "agent_not_found")
      return [ok("key", "The key is accepted."), await noSuchAgent(deps, caller, agentId)];
    if (!(error instanceof AppError) || !NOT_THE_CALLERS.has(error.code)) throw error;
    const remedy =
      isNamed && error.code === "forbidden"
        ? "The key may search, if it has that scope. To check more, use a key with the scope agent:read."
        : "Name an agent of this key with --agent, or use a key with the scope agent:read.";
    return [warning("key", `The key is accepted, but: ${error.message}`, remedy)];
  }
}

/** Returns a finding with the age of its result, by the clock that the result has its time from. */
function aged(clock: Deps["clock"], finding: Finding): Finding {
  const ageMs = finding.at === undefined ? 0 : clock().getTime() - Date.parse(finding.at);
  const ageSeconds = Math.max(0, Math.round(ageMs / 1000));
  return ageSeconds === 0 ? finding : { ...finding, ageSeconds };
}

/** Returns the function that asks a provider, unless there is an answer of the last ten seconds. */
function keptAnswer({ clock }: Deps): AnswerAbout {
  return async (embedder, ask) =>
    aged(clock, await lastAnswer(embedder, async () => ({ ...(await ask()), at: clock().toISOString() })));
}

/** Returns the finding about an agent that the user named and that does not exist for the caller. */
async function noSuchAgent(deps: Deps, caller: Caller, agentId: string): Promise<Finding> {
  const page = { after: "", limit: MOST_AGENTS };
  const known = await listTenantAgents(deps, caller, page);
  const meant = didYouMean(
    agentId,
    known.map(({ id }) => id),
  );
  return failed(
    "index",
    `There is no agent ${agentId}.${meant}`,
    "Name another with --agent (recollect agents list), or store something: the first write creates an agent.",
  );
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
      `${provider} refused ${countOf(rejectedChunks, "chunk")} of ${agentId}; they are found by keyword only.`,
      "The server's log names the reason; a reindex tries again.",
    );
  if (!vector.ready && vector.index !== "none")
    return warning(
      "index",
      `Questions to ${agentId} get no vector, so search is by keyword only. ${vector.problem ?? ""}`.trim(),
      "Correct the settings of the provider, or set remote.former.baseUrl to the previous address until the new index is ready.",
    );
  if (vector.unread.length > 0)
    return warning(
      "index",
      `${provider} · ${model} does not read ${vector.unread.join(", ")}: texts of ${agentId} in that script are found by keyword only.`,
      "Choose a multilingual model, such as those of openai, gemini or a GGUF file; the index is then built anew.",
    );
  const pending = pendingEmbeddings > 0 ? `${countOf(pendingEmbeddings, "chunk")} of ${agentId} still to embed` : "";
  const anew = reindex.state === "none" ? "" : `a new index of ${agentId} is ${reindex.state}`;
  const said = [pending, anew].filter(Boolean).join("; ") || `everything of ${agentId} is indexed`;
  return ok("index", `${said.charAt(0).toUpperCase()}${said.slice(1)}.`);
}

/**
 * Returns the embedder of the settings. An embedder that is not ready within a search's deadline
 * counts as unavailable.
 */
function embedderNow(deps: Deps, settings: MemorySettings): Promise<Embedder | undefined> {
  return embeddersWithDeadline(deps.embedders, deps.queryEmbedTimeoutMs).forSettings(settings);
}

/**
 * Returns whether a worker takes the caller's jobs. The number of jobs is shown only to callers
 * that may list them, and to an agent's own key.
 */
async function ownQueue(deps: Deps, caller: Caller): Promise<Finding> {
  const { health, at } = await lastQueue(deps.db, async () => {
    const since = deps.clock().toISOString();
    return { health: await inspectQueue(deps.db, deps.queue.kinds), at: since };
  });
  return aged(deps.clock, { ...(await queueOf(deps, caller, health)), at });
}

async function queueOf(deps: Deps, caller: Caller, health: QueueHealth): Promise<Finding> {
  const { tenantId, agentId } = caller;
  const { workerSilentMs: kept } = health;
  // A worker that has started since then must not be reported as missing.
  const workerSilentMs = kept === 0 ? 0 : await deps.queue.silentMs();
  if (agentId === undefined && !holds(caller, "tenant"))
    return noWorker(workerSilentMs, "jobs wait until a worker takes them") ?? ok("queue", "A worker is alive.");
  const [waiting = [], retries = [], lost = []] = await Promise.all(
    (["waiting", "retry", "failed"] as const).map((state) =>
      deps.queue.list({ tenantId, agentId, state, limit: MOST_JOBS }),
    ),
  );
  const nextTryAt = new Date(Math.min(...retries.map(({ dueAt }) => dueAt.getTime())));
  const said = [
    ...(waiting.length > 0 ? [`${countOf(waiting.length, "job")} waiting`] : []),
    ...(retries.length > 0 ? [retriesSaid(retries.length, nextTryAt)] : []),
  ];
  const load = said.join(", and ") || "no job waits";
  const silent = noWorker(workerSilentMs, load);
  if (silent) return silent;
  if (lost.length === 0) return ok("queue", `A worker is alive; ${load}.`);
  const remedy = "See recollect jobs list --state failed, then recollect jobs retry <id>.";
  return warning("queue", `${countOf(lost.length, "job")} failed for good; ${load}.`, remedy);
}
