import { AppError } from "../../base/errors.ts";
import { withoutRemovedSettings } from "../../base/removed-keys.ts";
import { countPending } from "../../db/agent/chunks/vectors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration } from "../../db/agent/schema/generations.ts";
import { type AgentRow, lookUpAgent, touchImport, updateAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { findBranch } from "../../db/control/branches.ts";
import { takingLong } from "../../db/pg-limits.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB, MIGRATE_FLEET_JOB, SYNC_JOB } from "../../queue/job-contracts.ts";
import { checkOperatorKeys } from "../../service/admin/check-operator-keys.ts";
import { abandonImport } from "../../service/admin/erase-agent.ts";
import { IMPORT_GIVEN_UP_MS } from "../../service/admin/migrate-fleet.ts";
import { createAgent } from "../../service/agent/create-agent.ts";
import { profileOf, spaceOf } from "../../service/core/agent-profile.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { agentGone } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { checkEmbedding } from "../../service/embedding/embedder-for.ts";
import { indexPendingSessions } from "../../service/sessions/index-sessions.ts";
import { agentNotFound, authoriseUnbound } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { parseLimits } from "../../settings/limits.ts";
import { mergeSettingsPatch } from "../../settings/settings.ts";
import type { ArchiveCounts, ArchiveHeader } from "./archive-format.ts";
import { createLineParser, invalid } from "./parse-line.ts";
import { openArchive } from "./read-archive.ts";
import { restoreBindings } from "./restore-bindings.ts";
import { restoreLines } from "./restore-lines.ts";
import { fillVectors, placeForVectors, type Restore } from "./restore-vectors.ts";
import { continueNumbers, contradictionIn, lastNumber } from "./sql/archive-history.ts";
import { continueFactIds, deriveSessionScopes, lastFactId, settleSessions } from "./sql/archive-write.ts";

/** The interval at which a process records that its import is running. */
const BEAT_MS = 10_000;
/** The time without such a record after which an import counts as dead. */
const SILENT_MS = 3 * BEAT_MS;

/** The result of an import. */
interface ImportedAgent extends ArchiveCounts {
  id: string;
  /**
   * Whether the archive's vectors fit this service's model. If not, the texts are embedded again.
   */
  vectorsUsed: boolean;
  pendingEmbeddings: number;
}

interface ImportOptions {
  /** The new id; undefined to keep the archived id. */
  as?: string | undefined;
  /** Whether settings and limits are restored. */
  settings: boolean;
  /** The largest unpacked size of the archive. */
  maxBytes: number;
}

/**
 * Imports an agent from an archive (docs/ARCHIVE.md). Stores the memory batch by batch in a hidden
 * agent, which one transaction makes visible at the end. Erases the agent after an error. If the
 * process dies, another import under the same id may replace the remains after half a minute, and a
 * sweep erases them after ten minutes.
 *
 * @throws AppError `archive_invalid`, `payload_too_large`, `upload_too_slow`, `agent_exists`,
 *   `quota_exceeded`, `invalid_settings`, `forbidden`
 */
export async function importAgent(
  deps: Deps,
  caller: Caller,
  body: ReadableStream<Uint8Array>,
  options: ImportOptions,
): Promise<ImportedAgent> {
  authoriseUnbound(caller, "tenant");
  if (options.as !== undefined) checkAgentId(options.as);
  const parse = createLineParser(deps.parseThreads, caller.tenantId);
  const archive = await openArchive(body, { maxBytes: options.maxBytes, parse });
  try {
    const id = checkAgentId(options.as ?? archive.header.agent.id);
    const restore = await begin(deps, caller, id, archive.header, options.settings);
    const beat = setInterval(() => {
      // The next beat tries again. If the import was erased meanwhile, its next write fails.
      touchImport(deps.db, restore.schemaName, deps.clock()).catch(() => undefined);
    }, BEAT_MS);
    try {
      return await takingLong(async () => {
        const counts = await restoreLines(restore, archive.lines);
        return { id, ...counts, ...(await finish(restore, counts, options.settings)) };
      });
    } catch (error) {
      await abandonImport(deps, caller, id, restore.schemaName).catch((cause: unknown) => {
        deps.logger.error(
          { agentId: id, err: { type: String(cause) } },
          "an incomplete import is left to the next sweep",
        );
      });
      throw error;
    } finally {
      clearInterval(beat);
    }
  } finally {
    archive.close();
  }
}

/** Creates the hidden agent. */
async function begin(
  deps: Deps,
  caller: Caller,
  id: string,
  header: ArchiveHeader,
  keepsSettings: boolean,
): Promise<Restore> {
  const { tenantId } = caller;
  // An archive of an earlier release may have settings that have been removed since.
  const archived = keepsSettings ? withoutRemovedSettings(header.agent.settings) : {};
  const settings = mergeSettingsPatch({}, archived, "settings");
  checkOperatorKeys(deps, caller, {}, settings);
  const limits = parseLimits(keepsSettings ? header.agent.limits : {}, "limits", "agent");
  const lookup = await lookUpAgent(deps.db, tenantId, id);
  if (!lookup) throw agentNotFound();
  if (lookup.agent) await takeOver(deps, caller, lookup.agent);
  const wanted = profileOf(deps, { ...lookup, agent: { settings, limits } as unknown as AgentRow }, id);
  await checkEmbedding(deps, wanted.settings);
  const given = { name: header.agent.name.slice(0, 200), settings: settings as Record<string, unknown>, limits };
  const hidden = { ...given, status: "importing" as const, vectorsOf: header.vectors ?? undefined };
  // Erases the hidden agent if this process dies.
  await deps.queue.send(deps.db, MIGRATE_FLEET_JOB, { retryFailed: false }, { afterMs: IMPORT_GIVEN_UP_MS + 60_000 });
  if (!(await createAgent(deps, caller, wanted, hidden))) throw taken();
  const made = await lookUpAgent(deps.db, tenantId, id);
  if (made?.agent?.status !== "importing") throw agentGone();
  const { schemaName } = made.agent;
  const agent = { ...profileOf(deps, made, id), ...spaceOf(made.agent), usageKnown: true, facts: 0, reads: [] };
  const generation = await withAgentTransaction(deps.db, agent, (tx) => activeGeneration(tx, agent.schema));
  const staged = generation && placeForVectors(header, generation, { tenantId, schemaName });
  return { deps, caller, agent, schemaName, staged, bindings: [] };
}

/**
 * Erases the remains of a dead import, so that the import can be repeated.
 *
 * @throws AppError `agent_exists` when the agent is anything else
 */
async function takeOver(deps: Deps, caller: Caller, agent: AgentRow): Promise<void> {
  const isSilent = deps.clock().getTime() - agent.createdAt.getTime() > SILENT_MS;
  // A branch that is being copied has the same status, but its own job takes care of it.
  if (agent.status !== "importing" || !isSilent || (await findBranch(deps.db, agent.schemaName))) throw taken();
  await abandonImport(deps, caller, agent.id, agent.schemaName);
}

function taken(): AppError {
  return new AppError(
    "agent_exists",
    "The tenant already has an agent with this id, or one is being created, imported or erased. Import under another id with `as` (`--as` of the command); an import that was interrupted can be repeated after half a minute.",
  );
}

/** Does the background work that decides which texts are embedded, and makes the agent visible. */
async function finish(restore: Restore, counts: ArchiveCounts, keepsSettings: boolean) {
  const { deps, caller, agent, schemaName, staged } = restore;
  const { tenantId, agentId } = agent;
  await withAgentTransaction(deps.db, agent, async (tx) => {
    await settleSessions(tx, agent.schema);
    await deriveSessionScopes(tx, agent.schema);
  });
  // With staged vectors, cut the windows of sessions now, so that the vectors find their chunks.
  // Without them, the sync job cuts the windows.
  if (staged) await indexPendingSessions(deps, agent, new AbortController().signal);
  await fillVectors(restore);
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const generation = await activeGeneration(tx, agent.schema);
    const contradiction = await contradictionIn(tx, agent.schema);
    if (contradiction !== undefined) throw invalid(`has ${contradiction}`);
    const hasVectors = generation !== undefined && generation.dimensions !== null;
    const pendingEmbeddings = hasVectors ? await countPending(tx, agent.schema, generation.id) : 0;
    const [lastFact, last] = [await lastFactId(tx, agent.schema), await lastNumber(tx, agent.schema)];
    const service = await tx.asService();
    await continueFactIds(service, agent.schema, lastFact);
    await continueNumbers(service, agent.schema, last);
    if (keepsSettings) await restoreBindings(service, agent, restore.bindings);
    for (const job of [EMBED_JOB, MAINTAIN_INDEX_JOB, SYNC_JOB])
      await deps.queue.send(service, job, { tenantId, agentId });
    const audit = { at: deps.clock(), actor: caller.actor, action: "agent.import", target: agentId };
    await insertAudit(service, { tenantId, ...audit, details: { ...counts } });
    // Comes last. Fails if the sweep has erased the agent meanwhile.
    if (!(await touchImport(service, schemaName, deps.clock()))) throw agentGone();
    await updateAgent(service, tenantId, agentId, { status: "active" });
    return { vectorsUsed: staged !== undefined && counts.vectors > 0, pendingEmbeddings };
  });
}
