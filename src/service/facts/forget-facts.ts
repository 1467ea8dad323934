import { AppError } from "../../base/errors.ts";
import { yieldToLoop } from "../../base/yield-to-loop.ts";
import { forgetFactStates, keptFacts } from "../../db/agent/facts/fact-changes.ts";
import type { FactFilter } from "../../db/agent/facts/fact-filter.ts";
import { doomedFacts, type ForgottenRow, factsWithVersions } from "../../db/agent/facts/fact-lookup.ts";
import { deleteFacts, factsToPrune } from "../../db/agent/facts/fact-upkeep.ts";
import { type FactScope, lockFacts, readFacts } from "../../db/agent/facts/facts.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { isVisibleTo } from "../../db/agent/schema/scope.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { forgetEmbeddings } from "../../db/control/embedding-cache.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { factChunkHash, type IndexedFact } from "../../ingest/fact-text.ts";
import { MAINTAIN_INDEX_JOB } from "../../queue/job-contracts.ts";
import { signatureOf } from "../../settings/access.ts";
import { factCutoffs } from "../../settings/retention.ts";
import { findKnownAgent, findKnownMemory } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { factNotFound } from "./present-fact.ts";
import { type RemainingWords, remainingWords } from "./remaining-words.ts";
import { sourceNames } from "./source-names.ts";

/** The most facts, all versions included, that one call forgets. */
const MAX_FORGOTTEN = 5000;

/** Facts that were forgotten, and where their words still stand. */
export interface ForgottenFacts extends RemainingWords {
  /** Ids of the deleted facts and all their earlier versions. */
  forgotten: string[];
}

/**
 * Deletes facts for good, each with all its earlier versions and its cached embeddings. Ignores
 * unknown ids. The audit log records the number of facts, the actor and the rule, but none of their
 * text.
 *
 * @param options.visibleTo the reader who forgets: facts that this scope may not see count as unknown; undefined:
 *   all facts
 * @param options.snapshots whether the facts are also deleted from snapshots, including facts that
 *   were deleted before. Otherwise a snapshot that contains a fact keeps its text until the
 *   snapshot is deleted or expires, and a rollback to it restores the fact.
 * @throws AppError `agent_not_found`, `invalid_request`; `forbidden` if the caller may not change
 *   snapshots
 */
export async function forgetFacts(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  given: readonly string[],
  options: { snapshots?: boolean; visibleTo?: FactScope | undefined } = {},
): Promise<ForgottenFacts> {
  const agent = options.snapshots
    ? await findKnownAgent(deps, caller, "tenant", agentId)
    : await findKnownMemory(deps, caller, "agent:write", agentId);
  if (!agent) return { forgotten: [] };
  const earlier = await findReplay<ForgottenFacts | string[]>(deps, caller);
  // Older releases recorded the ids alone.
  if (earlier) return Array.isArray(earlier) ? { forgotten: earlier } : earlier;
  const write = async (tx: AgentTransaction) => {
    await lockFacts(tx, agent.schema);
    const factIds = await visibleIds(tx, given, options.visibleTo);
    const toDelete = await factsWithVersions(tx, agent.schema, factIds);
    refuseTooMany(toDelete);
    const there = toDelete.map((fact) => fact.id);
    if (there.length > 0)
      await deleteFacts(tx, agent.schema, there, { kind: "forgotten", now: deps.clock(), by: signatureOf(caller) });
    const kept = options.snapshots ? await keptFacts(tx, agent.schema, [...factIds, ...there]) : [];
    refuseTooMany(kept);
    const ids = [...new Set([...there, ...kept.map((fact) => fact.id)])];
    if (ids.length === 0) return { forgotten: [] };
    if (options.snapshots) await forgetFactStates(tx, agent.schema, ids);
    const details = { facts: ids.length, rule: options.snapshots ? "by id, from snapshots too" : "by id" };
    const answer = { forgotten: ids, ...(await remainingWords(tx, caller, agent, toDelete)) };
    const service = await tx.asService();
    await recordAnswer(deps, caller, service, agentId, answer);
    await accountForgotten(deps, service, agent, toDelete, {
      actor: caller.actor,
      action: "facts.forget",
      details,
    });
    // A rollback that was undone may have embedded the kept facts again.
    await forgetCached(service, agent.tenantId, kept);
    return answer;
  };
  return deps.factTurns(agent.schema, () => withAgentTransaction(deps.db, agent, write));
}

/** Returns the ids among these whose facts a scope may see. */
async function visibleIds(
  tx: AgentTransaction,
  ids: readonly string[],
  reader: FactScope | undefined,
): Promise<readonly string[]> {
  if (reader === undefined) return ids;
  const rows = await readFacts(tx, tx.schema, ids);
  return rows.filter((row) => isVisibleTo(row, reader)).map(({ id }) => id);
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
): Promise<ForgottenFacts> {
  const answer = await forgetFacts(deps, caller, agentId, [factId], options);
  if (answer.forgotten.length === 0) throw factNotFound();
  return answer;
}

/** The most facts of a source that one call forgets. */
const MAX_OF_SOURCE = 5000;

/** Facts that were forgotten by their source. */
export interface ForgottenOfSource extends ForgottenFacts {
  /** Whether the source has more facts than one call forgets. */
  more: boolean;
}

/**
 * Deletes for good the facts that come from a conversation or a file, including facts that have
 * ended. Facts of other sources stay, also those that they replaced or that replaced them.
 *
 * @param options.source the session's key or path, or the file's path
 * @param options.scope only facts whose scope has exactly these parts
 * @throws AppError `agent_not_found`
 */
export async function forgetFactsOfSource(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { source, scope }: { source: string; scope?: FactScope | undefined },
): Promise<ForgottenOfSource> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return { forgotten: [], more: false };
  const earlier = await findReplay<ForgottenOfSource>(deps, caller);
  if (earlier) return earlier;
  const filter = { sources: sourceNames(agentId, source), scope };
  const write = async (tx: AgentTransaction) => {
    const { facts, more } = await deleteFiltered(deps, caller, tx, filter);
    const answer = { forgotten: facts.map(({ id }) => id), more, ...(await remainingWords(tx, caller, agent, facts)) };
    if (facts.length === 0) return answer;
    const service = await tx.asService();
    await recordAnswer(deps, caller, service, agentId, answer);
    await accountForgotten(deps, service, agent, facts, bySource(caller, facts.length));
    return answer;
  };
  return deps.factTurns(agent.schema, () => withAgentTransaction(deps.db, agent, write));
}

/**
 * Deletes the facts that pass a filter, in the agent's role; `accountForgotten` must follow in the
 * service's role.
 *
 * @param options.versions whether the earlier versions of these facts go too
 */
export async function deleteFiltered(
  deps: FileDeps,
  caller: Caller,
  tx: AgentTransaction,
  filter: FactFilter,
  { versions = false } = {},
): Promise<{ facts: ForgottenRow[]; more: boolean }> {
  await lockFacts(tx, tx.schema);
  const found = await doomedFacts(tx, tx.schema, filter, MAX_OF_SOURCE + 1);
  const named = found.slice(0, MAX_OF_SOURCE);
  const all = versions
    ? await factsWithVersions(
        tx,
        tx.schema,
        named.map(({ id }) => id),
      )
    : named;
  // The versions of a fact go before the fact, so those beyond the limit are left to the next call.
  const facts = all.slice(0, MAX_OF_SOURCE);
  const ids = facts.map(({ id }) => id);
  const stamp = { kind: "forgotten", now: deps.clock(), by: signatureOf(caller) } as const;
  if (ids.length > 0) await deleteFacts(tx, tx.schema, ids, stamp);
  return { facts, more: found.length > named.length || all.length > facts.length };
}

/** Returns the audit entry of a deletion by source. */
export function bySource({ actor }: Caller, facts: number) {
  return { actor, action: "facts.forget", details: { facts, rule: "by source" } };
}

/**
 * Updates everything that depends on deleted facts: cached embeddings, statistics, usage and the
 * audit log.
 */
export async function accountForgotten(
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
  // Older releases embedded facts without their subject, and before that without their key.
  const hashes = facts.flatMap(({ text, subject, key }) =>
    [
      { subject, key },
      { subject: null, key },
      { subject: null, key: null },
    ].map((of) => factChunkHash({ text, ...of })),
  );
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
  while (!signal.aborted && (await pruneBatch(deps, agent, cutoffs))) await yieldToLoop();
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
