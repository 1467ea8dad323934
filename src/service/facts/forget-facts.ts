import { setImmediate } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import { forgetFactStates, keptFacts } from "../../db/agent/facts/fact-changes.ts";
import { factsWithVersions } from "../../db/agent/facts/fact-lookup.ts";
import { deleteFacts, factsToPrune } from "../../db/agent/facts/fact-upkeep.ts";
import { lockFacts } from "../../db/agent/facts/facts.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { forgetEmbeddings } from "../../db/control/embedding-cache.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { factChunkHash, type IndexedFact } from "../../ingest/fact-text.ts";
import { MAINTAIN_INDEX_JOB } from "../../queue/job-contracts.ts";
import { signatureOf } from "../../settings/access.ts";
import { factCutoffs } from "../../settings/retention.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { factNotFound } from "./present-fact.ts";

/** The most facts, all versions included, that one call forgets. */
const MAX_FORGOTTEN = 5000;

/**
 * Deletes facts for good, each with all its earlier versions and its cached embeddings. Ignores
 * unknown ids. The audit log records the number of facts, the actor and the rule, but none of their
 * text.
 *
 * @param options.snapshots whether the facts are also deleted from snapshots, including facts that
 *   were deleted before. Otherwise a snapshot that contains a fact keeps its text until the
 *   snapshot is deleted or expires, and a rollback to it restores the fact.
 * @returns the ids of all deleted facts
 * @throws AppError `agent_not_found`, `invalid_request`; `forbidden` if the caller may not change
 *   snapshots
 */
export async function forgetFacts(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  factIds: readonly string[],
  options: { snapshots?: boolean } = {},
): Promise<string[]> {
  const agent = await findKnownAgent(deps, caller, options.snapshots ? "tenant" : "agent:write", agentId);
  if (!agent) return [];
  const earlier = await findReplay<string[]>(deps, caller);
  if (earlier) return earlier;
  const write = async (tx: AgentTransaction) => {
    await lockFacts(tx, agent.schema);
    const toDelete = await factsWithVersions(tx, agent.schema, factIds);
    refuseTooMany(toDelete);
    const there = toDelete.map((fact) => fact.id);
    if (there.length > 0)
      await deleteFacts(tx, agent.schema, there, { kind: "forgotten", now: deps.clock(), by: signatureOf(caller) });
    const kept = options.snapshots ? await keptFacts(tx, agent.schema, [...factIds, ...there]) : [];
    refuseTooMany(kept);
    const ids = [...new Set([...there, ...kept.map((fact) => fact.id)])];
    if (ids.length === 0) return [];
    if (options.snapshots) await forgetFactStates(tx, agent.schema, ids);
    const details = { facts: ids.length, rule: options.snapshots ? "by id, from snapshots too" : "by id" };
    const service = await tx.asService();
    await recordAnswer(deps, caller, service, agentId, ids);
    await accountForgotten(deps, service, agent, toDelete, {
      actor: caller.actor,
      action: "facts.forget",
      details,
    });
    // A rollback that was undone may have embedded the kept facts again.
    await forgetCached(service, agent.tenantId, kept);
    return ids;
  };
  return deps.factTurns(agent.schema, () => withAgentTransaction(deps.db, agent, write));
}

function refuseTooMany(facts: readonly unknown[]): void {
  if (facts.length > MAX_FORGOTTEN)
    throw new AppError("invalid_request", `These facts have more than ${MAX_FORGOTTEN} versions; name fewer facts.`);
}

/** Forgets one fact. @throws AppError `fact_not_found`, and as `forgetFacts` */
export async function forgetFact(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  factId: string,
  options: { snapshots?: boolean } = {},
): Promise<string[]> {
  const forgotten = await forgetFacts(deps, caller, agentId, [factId], options);
  if (forgotten.length === 0) throw factNotFound();
  return forgotten;
}

/**
 * Updates everything that depends on deleted facts: cached embeddings, statistics, usage and the
 * audit log.
 */
async function accountForgotten(
  deps: FileDeps,
  service: SqlExecutor,
  agent: KnownAgent,
  facts: readonly (IndexedFact & { bytes: number })[],
  act: { actor: string; action: string; details: Record<string, unknown> },
): Promise<void> {
  const { tenantId, agentId } = agent;
  await forgetCached(service, tenantId, facts);
  await deps.queue.send(service, MAINTAIN_INDEX_JOB, { tenantId, agentId });
  await insertAudit(service, { tenantId, at: deps.clock(), target: agentId, ...act });
  const bytes = facts.reduce((sum, fact) => sum + fact.bytes, 0);
  await takeQuota(service, agent, { files: 0, bytes: -bytes, chunks: -facts.length, facts: -facts.length });
}

async function forgetCached(service: SqlExecutor, tenantId: string, facts: readonly IndexedFact[]): Promise<void> {
  // Facts that were embedded by older releases were embedded without their key.
  const hashes = facts.flatMap(({ text, key }) => [factChunkHash({ text, key }), factChunkHash({ text, key: null })]);
  if (hashes.length > 0) await forgetEmbeddings(service, tenantId, hashes);
}

/** The most facts that one transaction deletes. */
const BATCH_FACTS = 500;

/**
 * Deletes old facts by `facts.retention`, as a step of the sync. Each batch is one transaction with
 * an audit entry, which has the number by rule and the settings.
 */
export async function retainFacts(deps: FileDeps, agent: KnownAgent, signal: AbortSignal): Promise<void> {
  const cutoffs = factCutoffs(agent.settings.facts, deps.clock());
  while (!signal.aborted && (await pruneBatch(deps, agent, cutoffs))) await setImmediate();
}

/** @returns whether there may be more facts to delete */
async function pruneBatch(
  deps: FileDeps,
  agent: KnownAgent,
  cutoffs: ReturnType<typeof factCutoffs>,
): Promise<boolean> {
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const due = await factsToPrune(tx, agent.schema, cutoffs, 1);
    if (due.length === 0) return false;
    await lockFacts(tx, agent.schema);
    // Read again under the lock: the facts may have been confirmed, or deleted by another sync.
    const toDelete = await factsToPrune(tx, agent.schema, cutoffs, BATCH_FACTS);
    if (toDelete.length === 0) return false;
    const ids = toDelete.map((fact) => fact.id);
    await deleteFacts(tx, agent.schema, ids, { kind: "expired", now: deps.clock(), by: "system job:sync" });
    const byRule = Object.groupBy(toDelete, (fact) => fact.rule);
    const counts = Object.fromEntries(Object.entries(byRule).map(([rule, facts]) => [rule, facts.length]));
    const details = { facts: ids.length, ...counts, ...agent.settings.facts.retention };
    const act = { actor: "system", action: "facts.retention", details };
    await accountForgotten(deps, await tx.asService(), agent, toDelete, act);
    return toDelete.length === BATCH_FACTS;
  });
}
