import { AppError } from "../../base/errors.ts";
import { adoptFiles, deleteFiles, type LockedFile, lockFiles } from "../../db/agent/files/files.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { liveGenerations } from "../../db/agent/schema/generations.ts";
import type { UsageDelta } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { takingLong } from "../../db/pg-limits.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB } from "../../queue/job-contracts.ts";
import { signatureOf } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";
import { recordAnswer } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import type { FileDeps } from "./file-deps.ts";
import { adoptable, requireOwn } from "./file-origins.ts";
import { requireNoSession } from "./session-paths.ts";
import { type Replaced, storeChunks, storeContents } from "./store-chunks.ts";
import type { Committed, ExpectedHashes, WriteAnswer, WriteBatch } from "./write-batch.ts";

/**
 * The size above which a batch gets the longer time limits of a job. On a slow disk, or with
 * vectors to index, it may take longer than a request's statements usually may.
 */
const LARGE_BYTES = 1_000_000;

/**
 * Commits a batch in one transaction that runs only SQL. Batches that only put files use group
 * commit with other batches of the agent: they would wait for each other anyway, at the quota's
 * lock.
 *
 * @throws AppError `file_changed`, `origin_conflict`, `quota_exceeded`, `invalid_path`
 */
export async function commitFiles(deps: FileDeps, agent: KnownAgent, batch: WriteBatch): Promise<Committed> {
  const { caller, changed, same, toDelete, expected, claim, plans, alongside } = batch;
  const isEmpty = changed.length + same.length + toDelete.length === 0;
  if (isEmpty && !caller.once && !alongside) return batch.answer(new Map(), []);
  const isLarge = alongside !== undefined || sum(changed, (file) => file.size) > LARGE_BYTES;
  const commit = (batches: readonly WriteBatch[]) =>
    isLarge ? takingLong(() => commitAll(deps, agent, batches)) : commitAll(deps, agent, batches);
  if (toDelete.length > 0 || expected.size > 0 || claim || alongside) return (await commit([batch]))[0] as Committed;
  const chunks = plans.map((plan) => sum(changed, ({ path }) => plan.chunks.get(path)?.length ?? 0));
  return deps.fileCommits.add(agent.schema, {
    item: batch,
    // Batches in a group share their cached embeddings. A caller that is bound to one agent must
    // not learn from `pendingEmbeddings` which texts another caller found in the cache.
    kind: JSON.stringify([plans.map(({ generation }) => generation.id), caller.agentId ?? null, agent.limits]),
    names: changed.map((file) => file.path),
    bytes: sum(changed, (file) => file.size),
    chunks: sum(chunks, (count) => count),
    commit,
  });
}

async function commitAll(deps: FileDeps, agent: KnownAgent, batches: readonly WriteBatch[]): Promise<Committed[]> {
  const changed = batches.flatMap(({ caller, changed }) =>
    changed.map((file) => ({ ...file, by: signatureOf(caller) })),
  );
  const toDelete = batches.flatMap((batch) => batch.toDelete);
  const paths = [...[...changed, ...batches.flatMap((batch) => batch.same)].map((file) => file.path), ...toDelete];
  const plans = mergePlans(batches);
  const alongside = batches[0]?.alongside;
  const writing = withAgentTransaction(deps.db, agent, async (tx) => {
    await alongside?.begin(tx);
    const [locked, { active, building }] = await Promise.all([
      // Sent before the generations are read: the switch to a new generation blocks writers at this
      // statement.
      lockFiles(tx, agent.schema, paths),
      liveGenerations(tx, agent.schema),
    ]);
    for (const { expected } of batches) requireExpected(expected, paths, (path) => locked.get(path)?.hash);
    const adopted = batches.map((batch) => ownership(batch, locked));
    const ids = [active, building].flatMap((one) => one?.id ?? []);
    if (!active || plans.map((plan) => plan.generation.id).join() !== ids.join()) throw new GenerationsChanged();
    await requireNoSession(
      tx,
      changed.map((file) => file.path).filter((path) => !locked.has(path)),
    );
    const stamp = { now: deps.clock(), keeps: agent.settings.history.retentionDays > 0 };
    const stored = await storeContents(tx, changed, locked, { ...stamp, generationId: building?.id ?? active.id });
    const results: Replaced[] = [];
    for (const { generation, files, cached } of plans)
      results.push(await storeChunks(tx, generation, files, stored, cached));
    for (const { origin, paths } of adopted) await adoptFiles(tx, agent.schema, origin, paths);
    // A batch that deletes files is never in a group.
    const by = signatureOf(batches[0]?.caller ?? { actor: "system" });
    const removal = await remove(tx, toDelete, locked, { ...stamp, by, generationId: active.id });
    const live = plans.map(({ generation }) => generation);
    const more = (await alongside?.write(tx, live)) ?? { added: NOTHING_ADDED, pending: 0 };
    const written = batches.map((batch) => batch.answer(results[0]?.pending ?? new Map(), removal.deleted));
    const added = total(stored, removal, results[0]?.added ?? 0, more.added);
    // One batch might use the space that another batch frees, which it could not do alone. So a
    // group must keep every limit.
    const held = batches.length > 1 ? (["files", "bytes", "chunks"] as const) : undefined;
    const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
    const isPending = more.pending > 0 || results.some((result) => result.pending.size > 0);
    await Promise.all([
      // Sent first, because the statements after it need the service's role.
      tx.asService(),
      ...batches.map(({ caller }, at) => note(deps, caller, tx, agent, written[at])),
      isPending && deps.queue.send(tx, EMBED_JOB, payload),
      deps.queue.send(tx, MAINTAIN_INDEX_JOB, payload),
      alongside?.conclude(tx),
      takeQuota(tx, agent, added, held),
    ]);
    return written;
  });
  return writing.catch((error: unknown) => {
    if (!(error instanceof GenerationsChanged)) throw error;
    return batches.map((): Committed => "generations changed");
  });
}

/** Thrown to roll back the transaction, including the rows that it has already written. */
class GenerationsChanged extends Error {}

/**
 * Returns the change that a commit makes to the agent's usage. Chunks count in the active
 * generation only.
 */
function total(
  stored: Awaited<ReturnType<typeof storeContents>>,
  removal: Awaited<ReturnType<typeof remove>>,
  chunks: number,
  alongside: UsageDelta,
): UsageDelta {
  return {
    files: stored.files - removal.deleted.length,
    bytes: stored.bytes - removal.bytes + alongside.bytes,
    chunks: chunks - removal.chunks + alongside.chunks,
    facts: alongside.facts,
    historyBytes: stored.historyBytes + removal.historyBytes,
  };
}

const NOTHING_ADDED = { files: 0, bytes: 0, chunks: 0, facts: 0 };

/**
 * @returns the unchanged files that the batch's origin adopts
 * @throws AppError `origin_conflict`
 */
function ownership({ claim, changed, same, toDelete }: WriteBatch, locked: ReadonlyMap<string, LockedFile>) {
  if (!claim) return { origin: "", paths: [] };
  requireOwn(claim, { put: [...changed, ...same], toDelete }, locked);
  return { origin: claim.origin, paths: adoptable(claim, same, locked) };
}

/** Combines the plans of batches of one kind: for each generation, all files with their chunks. */
function mergePlans(batches: readonly WriteBatch[]) {
  const [first] = batches;
  return (first?.plans ?? []).map(({ generation }, at) => ({
    generation,
    files: batches.flatMap(({ changed, plans }) =>
      changed.map(({ path }) => ({ path, chunks: plans[at]?.chunks.get(path) ?? [] })),
    ),
    cached: new Map(batches.flatMap(({ plans }) => [...(plans[at]?.cached ?? [])])),
  }));
}

async function note(deps: FileDeps, caller: Caller, sql: SqlExecutor, agent: KnownAgent, written?: WriteAnswer) {
  // The answer to a batch that only deletes missing files is not recorded: some use cases turn it
  // into an error, so the client may send the request again.
  if (written && written.files.length + written.deleted.length > 0)
    await recordAnswer(deps, caller, sql, agent.agentId, written);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

async function remove(
  tx: AgentTransaction,
  toDelete: readonly string[],
  locked: ReadonlyMap<string, LockedFile>,
  stamp: Parameters<typeof deleteFiles>[3],
): Promise<{ deleted: string[]; bytes: number; chunks: number; historyBytes: number }> {
  const deleted = toDelete.filter((path) => locked.has(path));
  if (deleted.length === 0) return { deleted, bytes: 0, chunks: 0, historyBytes: 0 };
  const rows = deleted.flatMap((path) => locked.get(path) ?? []);
  const ids = rows.map((row) => row.id);
  const gone = await deleteFiles(tx, tx.schema, ids, stamp);
  return { deleted, bytes: sum(rows, (row) => row.size), ...gone };
}

/** @throws AppError `file_changed` when a path does not have its expected hash */
export function requireExpected(
  expected: ExpectedHashes,
  paths: readonly string[],
  hashOf: (path: string) => string | undefined,
): void {
  const isOther = (path: string) => {
    const [wanted, hash] = [expected.get(path), hashOf(path)];
    return wanted === "*" ? hash === undefined : wanted !== undefined && wanted !== (hash ?? null);
  };
  const other = paths.find(isOther);
  if (other === undefined) return;
  const isNew = expected.get(other) === null;
  throw new AppError(
    "file_changed",
    isNew
      ? "A file exists at this path already. Leave the condition out to replace it."
      : "The file has changed since it was read. Read it again first.",
  );
}
