import type { ReadableStream } from "node:stream/web";
import { agentNotFound, authoriseUnbound } from "../../agents/access.ts";
import { checkAgentId } from "../../agents/agent-id.ts";
import { parseLimits } from "../../agents/limits.ts";
import { mergeSettingsPatch } from "../../agents/settings.ts";
import { AppError } from "../../base/errors.ts";
import { continueFactIds, settleSessions } from "../../db/agent/archive/archive-write.ts";
import { countPending } from "../../db/agent/chunks/vectors.ts";
import { withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import { activeGeneration } from "../../db/agent/space/generations.ts";
import { type AgentRow, lookUpAgent, touchImport, updateAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB, MIGRATE_FLEET_JOB, SYNC_JOB } from "../../queue/job-contracts.ts";
import { checkOperatorKeys } from "../admin/check-operator-keys.ts";
import { abandonImport } from "../admin/erase-agent.ts";
import { IMPORT_GIVEN_UP_MS } from "../admin/migrate-fleet.ts";
import { createAgent } from "../agent/create-agent.ts";
import { profileOf, spaceOf } from "../core/agent-profile.ts";
import type { Caller } from "../core/core-deps.ts";
import { agentGone } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import { checkEmbedding } from "../embedding/embedder-for.ts";
import { indexPendingSessions } from "../sessions/index-sessions.ts";
import type { ArchiveCounts, ArchiveHeader } from "./archive-format.ts";
import { openArchive } from "./read-archive.ts";
import { restoreLines } from "./restore-lines.ts";
import { fillVectors, placeForVectors, type Restore } from "./restore-vectors.ts";

/** What an import made. */
interface ImportedAgent extends ArchiveCounts {
  id: string;
  /** Whether the archive's vectors were those that this service would make; else they are made anew. */
  vectorsUsed: boolean;
  pendingEmbeddings: number;
}

interface ImportOptions {
  /** The id it gets; undefined: the one it had. */
  as?: string | undefined;
  /** Whether it keeps its settings and limits. */
  settings: boolean;
}

/**
 * Makes an agent out of an archive (docs/ARCHIVE.md). It is stored batch by batch as it comes in, as an agent that nobody finds;
 * at the end one transaction lets it be found. When anything goes wrong before, it is erased; when the process dies, the next sweep
 * erases it once it has not come further for ten minutes.
 *
 * @throws AppError `archive_invalid`, `payload_too_large`, `agent_exists`, `quota_exceeded`, `invalid_settings`, `forbidden`
 */
export async function importAgent(
  deps: Deps,
  caller: Caller,
  body: ReadableStream<Uint8Array>,
  options: ImportOptions,
): Promise<ImportedAgent> {
  authoriseUnbound(caller, "tenant");
  if (options.as !== undefined) checkAgentId(options.as);
  const archive = await openArchive(body, deps.archiveMaxBytes);
  try {
    const id = checkAgentId(options.as ?? archive.header.agent.id);
    const restore = await begin(deps, caller, id, archive.header, options.settings);
    try {
      const counts = await restoreLines(restore, archive.lines);
      return { id, ...counts, ...(await finish(restore, counts)) };
    } catch (error) {
      await abandonImport(deps, caller, id, restore.schemaName).catch((cause: unknown) => {
        deps.logger.error({ agentId: id, err: { type: String(cause) } }, "a half import is left to the next sweep");
      });
      throw error;
    }
  } finally {
    archive.close();
  }
}

/** Makes the agent, hidden. */
async function begin(
  deps: Deps,
  caller: Caller,
  id: string,
  header: ArchiveHeader,
  keepsSettings: boolean,
): Promise<Restore> {
  const { tenantId } = caller;
  const settings = mergeSettingsPatch({}, keepsSettings ? header.agent.settings : {}, "settings");
  checkOperatorKeys(deps, caller, {}, settings);
  const limits = parseLimits(keepsSettings ? header.agent.limits : {}, "limits", "agent");
  const lookup = await lookUpAgent(deps.db, tenantId, id);
  if (!lookup) throw agentNotFound();
  if (lookup.agent) throw taken();
  const wanted = profileOf(deps, { ...lookup, agent: { settings, limits } as unknown as AgentRow }, id);
  await checkEmbedding(deps, wanted.settings);
  const given = { name: header.agent.name.slice(0, 200), settings: settings as Record<string, unknown>, limits };
  const hidden = { ...given, status: "importing" as const };
  // Finishes what this process may not.
  await deps.queue.send(deps.db, MIGRATE_FLEET_JOB, { retryFailed: false }, { afterMs: IMPORT_GIVEN_UP_MS + 60_000 });
  if (!(await createAgent(deps, caller, wanted, hidden))) throw taken();
  const made = await lookUpAgent(deps.db, tenantId, id);
  if (made?.agent?.status !== "importing") throw agentGone();
  const { schemaName } = made.agent;
  const agent = { ...profileOf(deps, made, id), ...spaceOf(made.agent), usageKnown: true, facts: 0 };
  const generation = await withAgentTransaction(deps.db, agent, (tx) => activeGeneration(tx, agent.schema));
  const staged = generation && placeForVectors(header, generation, { tenantId, schemaName });
  return { deps, caller, agent, schemaName, staged };
}

function taken(): AppError {
  return new AppError(
    "agent_exists",
    "The tenant has an agent with this id, or one is being made or erased; import it under another id, with `as`.",
  );
}

/** Does what the background would do, as far as it decides what is embedded, and lets the agent be found. */
async function finish(restore: Restore, counts: ArchiveCounts) {
  const { deps, caller, agent, schemaName, staged } = restore;
  const { tenantId, agentId } = agent;
  await withAgentTransaction(deps.db, agent, (tx) => settleSessions(tx, agent.schema));
  // With vectors at hand windows are cut now, for these to be found; without, by the sync.
  if (staged) await indexPendingSessions(deps, agent, new AbortController().signal);
  await fillVectors(restore);
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const generation = await activeGeneration(tx, agent.schema);
    const hasVectors = generation !== undefined && generation.dimensions !== null;
    const pendingEmbeddings = hasVectors ? await countPending(tx, agent.schema, generation.id) : 0;
    const service = await tx.asService();
    await continueFactIds(service, agent.schema);
    for (const job of [EMBED_JOB, MAINTAIN_INDEX_JOB, SYNC_JOB])
      await deps.queue.send(service, job, { tenantId, agentId });
    const audit = { at: deps.clock(), actor: caller.actor, action: "agent.import", target: agentId };
    await insertAudit(service, { tenantId, ...audit, details: { ...counts } });
    // Last, and only if the sweep has not given it up meanwhile.
    if (!(await touchImport(service, schemaName, deps.clock()))) throw agentGone();
    await updateAgent(service, tenantId, agentId, { status: "active" });
    return { vectorsUsed: staged !== undefined && counts.vectors > 0, pendingEmbeddings };
  });
}
