import { AppError } from "../../base/errors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { findAgent as findRow, lookUpAgent, touchImport, updateAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { branchesOf, findBranch, insertBranch, noteBranch } from "../../db/control/branches.ts";
import { insertUsage, sumUsageOf } from "../../db/control/usage.ts";
import { newestVersion } from "../../db/migrate/agent.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import {
  type AgentPayload,
  EMBED_JOB,
  type JobContract,
  MAINTAIN_INDEX_JOB,
  OF_AGENT,
  SYNC_JOB,
} from "../../queue/job-contracts.ts";
import { abandonImport } from "../../service/admin/erase-agent.ts";
import { reserveAgent } from "../../service/agent/create-agent.ts";
import { findAgent, lookUpUsable } from "../../service/agent/find-agent.ts";
import { profileOf, spaceOf } from "../../service/core/agent-profile.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { findReplay, recordAnswer } from "../../service/core/idempotency.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import { countMemory, takeQuota } from "../../service/core/quota.ts";
import type { Deps } from "../../service/deps.ts";
import { agentNotFound, authoriseAgent, authoriseUnbound } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { findPast, goBack, type PastInput } from "./branch-past.ts";
import { copyMemory, ONE_MOMENT } from "./sql/branch-copy.ts";

/** Copies the memory of another agent, with which a branch begins. */
export const BRANCH_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "branch",
  expireInSeconds: 6 * 3600,
};

const MAX_LISTED = 100;

/** An agent that was copied from another agent, its origin. */
interface Branch {
  agentId: string;
  /** The id of the origin; null when the origin was erased. */
  origin: string | null;
  state: "copying" | "ready";
  /** The moment of the origin that the branch has; null while the copy runs. */
  branchedAt: string | null;
  /** The number of rows copied so far. `copied` and `total` count only the rows of large tables. */
  copied: number;
  total: number;
}

/**
 * Creates an agent with everything that another agent remembers: files, sessions, facts, chunks and
 * embeddings, as they are at one moment. The branch has its own schema, role, keys and quota. A job
 * makes the copy, and the agent is hidden until the job is done. A branch of a past moment is
 * copied from the present and then reverted to that moment.
 *
 * @throws AppError `forbidden`, `agent_not_found`, `agent_exists`, `quota_exceeded`, and as
 *   `findPast`
 */
export async function branchAgent(
  deps: Deps,
  caller: Caller,
  originId: string,
  { as, name, ...when }: { as: string; name?: string | undefined } & PastInput,
): Promise<Branch> {
  authoriseUnbound(caller, "tenant");
  const { tenantId } = caller;
  const agentId = checkAgentId(as);
  const earlier = await findReplay<Branch>(deps, caller);
  if (earlier) return earlier;
  const { agent: origin } = await findAgent(deps, caller, "tenant", originId);
  const row = await findRow(deps.db, tenantId, originId);
  const lookup = await lookUpAgent(deps.db, tenantId, agentId);
  if (!origin || !row || !lookup) throw agentNotFound();
  if (lookup.agent) throw taken();
  const past = await findPast(deps, origin, when);
  const given = { name: name ?? row.name, settings: row.settings, limits: row.limits };
  const branch: Branch = {
    agentId,
    origin: originId,
    state: "copying",
    branchedAt: null,
    copied: 0,
    total: 0,
  };
  const profile = profileOf(deps, { ...lookup, agent: { ...given, status: "importing" } }, agentId);
  const reserved = await reserveAgent(deps, caller, profile, {
    ...given,
    status: "importing",
    reserved: async (tx, schemaName) => {
      await insertBranch(tx, { schemaName, originSchema: row.schemaName, ...past });
      // Reserves quota for the whole memory now, so that no memory is copied that would not fit.
      const held = await sumUsageOf(tx, tenantId, originId);
      await insertUsage(tx, tenantId, agentId, { files: 0, bytes: 0, chunks: 0, facts: 0 });
      await takeQuota(tx, profile, { ...held, historyBytes: 0 });
      await deps.queue.send(tx, BRANCH_JOB, { tenantId, agentId });
      await recordAnswer(deps, caller, tx, agentId, branch);
    },
  });
  if (!reserved) throw taken();
  return branch;
}

function taken(): AppError {
  return new AppError(
    "agent_exists",
    "The tenant already has an agent with this id, or one is being made. Choose another id.",
  );
}

/**
 * Returns a branch, with its origin and the progress of its copy.
 *
 * @throws AppError `forbidden`, `agent_not_found`, `branch_not_found`
 */
export async function readBranch(deps: Deps, caller: Caller, agentId: string): Promise<Branch> {
  authoriseAgent(caller, "agent:read", agentId);
  const row = await findRow(deps.db, caller.tenantId, checkAgentId(agentId));
  if (!row || row.status === "erasing") throw agentNotFound();
  const found = await findBranch(deps.db, row.schemaName);
  if (!found) throw new AppError("branch_not_found", "This agent is not a branch of another agent.");
  return presentBranch({ ...found, id: agentId, status: row.status }, found.originId);
}

/**
 * Returns the newest branches of an agent, at most a hundred.
 *
 * @throws AppError `forbidden`, `agent_not_found`
 */
export async function listBranches(deps: Deps, caller: Caller, agentId: string): Promise<{ branches: Branch[] }> {
  authoriseUnbound(caller, "tenant");
  const row = await findRow(deps.db, caller.tenantId, checkAgentId(agentId));
  if (!row || row.status === "erasing") throw agentNotFound();
  const rows = await branchesOf(deps.db, row.schemaName, MAX_LISTED);
  return { branches: rows.map((one) => presentBranch(one, agentId)) };
}

function presentBranch(
  row: { id: string; status: string; branchedAt: Date | null; copied: number; total: number },
  origin: string | null,
): Branch {
  const { id, status, branchedAt, copied, total } = row;
  return {
    agentId: id,
    origin,
    state: status === "importing" ? "copying" : "ready",
    branchedAt: branchedAt?.toISOString() ?? null,
    copied,
    total,
  };
}

/** Copies a branch and makes it visible. A copy that a crash interrupted starts again. */
export async function copyBranch(deps: Deps, caller: Caller, { tenantId, agentId }: AgentPayload): Promise<void> {
  const row = await findRow(deps.db, tenantId, agentId);
  const branch = row?.status === "importing" ? await findBranch(deps.db, row.schemaName) : undefined;
  if (!row || !branch) return;
  const to = spaceOf(row);
  if (branch.branchedAt === null) {
    const at = await copyFrom(deps, caller, branch, to);
    if (!at) return abandonImport(deps, caller, agentId, row.schemaName);
    const lookup = await lookUpAgent(deps.db, tenantId, agentId);
    if (!lookup) return;
    try {
      await goBack(deps, caller, knownBranch(deps, lookup, to, agentId), branch);
    } catch (error) {
      // If the quota is exceeded or the snapshot is gone, a retry would fail too. Outages of the
      // database are AppErrors as well, so they also end the branch.
      if (error instanceof AppError) await abandonImport(deps, caller, agentId, row.schemaName);
      throw error;
    }
    await noteBranch(deps.db, row.schemaName, { branchedAt: branch.pastAt ?? at });
  }
  await finish(deps, caller, agentId);
}

/** Returns the branch as a known agent, although other lookups do not find it yet. */
function knownBranch(
  deps: Deps,
  lookup: NonNullable<Awaited<ReturnType<typeof lookUpAgent>>>,
  space: To,
  agentId: string,
): KnownAgent {
  return { ...profileOf(deps, lookup, agentId), ...space, usageKnown: true, facts: 0, reads: [] };
}

type To = ReturnType<typeof spaceOf>;

/** @returns the moment that was copied; undefined when the origin no longer exists */
async function copyFrom(
  deps: Deps,
  caller: Caller,
  { schemaName, originSchema, originId }: { schemaName: string; originSchema: string; originId: string | null },
  to: To,
): Promise<Date | undefined> {
  const origin = originId === null ? undefined : await findOrigin(deps, caller, originId);
  if (origin?.schemaName !== originSchema) return undefined;
  const from = spaceOf(origin);
  const noted = async (copied: number, total: number) => {
    // The embedded database has one session, and this transaction occupies it.
    if (deps.db.kind === "pglite") return;
    await noteBranch(deps.db, schemaName, { copied, total });
    await touchImport(deps.db, schemaName, deps.clock());
  };
  for (let attempt = 1; ; attempt++) {
    const at = deps.clock();
    try {
      const copied = await deps.db.transaction((tx) => copyMemory(tx, { from, to }, deps.migrations, noted), {
        setup: [ONE_MOMENT],
      });
      return copied ? at : undefined;
    } catch (error) {
      // The origin's index was replaced between the start of the transaction and the copy.
      if (sqlState(error) !== SQLSTATE.undefinedTable || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

const MAX_ATTEMPTS = 3;

/**
 * Returns the origin's row, after migrating its schema to this binary's version; undefined when the
 * origin no longer exists.
 */
async function findOrigin(deps: Deps, caller: Caller, originId: string) {
  const { row } = await lookUpUsable(deps, caller, originId).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "agent_not_found") return { row: undefined };
    throw error;
  });
  return row;
}

/** Counts the copied memory, enqueues the remaining work, and makes the branch visible. */
async function finish(deps: Deps, caller: Caller, agentId: string): Promise<void> {
  const { tenantId } = caller;
  const lookup = await lookUpAgent(deps.db, tenantId, agentId);
  const row = lookup?.agent;
  if (!lookup || row?.status !== "importing") return;
  const agent = knownBranch(deps, lookup, spaceOf(row), agentId);
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const counted = await countMemory(tx, agent);
    const service = await tx.asService();
    const reserved = await sumUsageOf(service, tenantId, agentId);
    const delta = {
      files: counted.files - reserved.files,
      bytes: counted.bytes - reserved.bytes,
      chunks: counted.chunks - reserved.chunks,
      facts: counted.facts - reserved.facts,
      historyBytes: counted.historyBytes - reserved.historyBytes,
    };
    // Take the quota without limits: the origin may have grown since the reservation, and that must
    // not make the copy fail.
    await takeQuota(service, agent, delta, []);
    for (const job of [EMBED_JOB, MAINTAIN_INDEX_JOB, SYNC_JOB])
      await deps.queue.send(service, job, { tenantId, agentId });
    const audit = { tenantId, at: deps.clock(), actor: caller.actor, action: "agent.branch", target: agentId };
    const origin = await findBranch(service, row.schemaName);
    const details = { from: origin?.originId ?? null, at: origin?.branchedAt ?? null, ...counted };
    await insertAudit(service, { ...audit, details });
    await updateAgent(service, tenantId, agentId, {
      status: "active",
      ...newestVersion(deps.migrations),
      createdAt: deps.clock(),
    });
  });
}
