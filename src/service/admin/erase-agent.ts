import { randomUUID } from "node:crypto";
import { AppError } from "../../base/errors.ts";
import { decodeCursor, decodePositionCursor, pageOf, positionKey } from "../../base/page-cursor.ts";
import { hashesOfChunks } from "../../db/agent/chunks/chunks.ts";
import { sumFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { sumFiles } from "../../db/agent/files/files.ts";
import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import { dropAgentSchema, lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import { activeGenerationId } from "../../db/agent/schema/generations.ts";
import { sumSessions } from "../../db/agent/sessions/sessions.ts";
import {
  type AgentRow,
  agentsBeingErased,
  deleteAgent,
  findAgent,
  lockAgent,
  updateAgent,
} from "../../db/control/agents.ts";
import { deleteAgentKeys } from "../../db/control/api-keys.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { deleteAgentBindings } from "../../db/control/bindings.ts";
import { deleteAgentBatches } from "../../db/control/embedding-batches.ts";
import { forgetAgentEmbeddings, forgetEmbeddings } from "../../db/control/embedding-cache.ts";
import { forgetAgentUsage } from "../../db/control/embedding-usage.ts";
import {
  findReceipt,
  insertReceipt,
  listReceipts,
  type ReceiptSummary,
  updateReceiptCounts,
} from "../../db/control/erasure-receipts.ts";
import { deleteAgentAnswers } from "../../db/control/idempotency-keys.ts";
import { deleteUsage } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import { takingLong } from "../../db/pg-limits.ts";
import { MIGRATE_FLEET_JOB } from "../../queue/job-contracts.ts";
import { agentNotFound, authoriseUnbound } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { spaceOf } from "../core/agent-profile.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { Deps } from "../deps.ts";

/** The record of an erasure: amounts, time and actor. Nothing else remains of an agent. */
interface ErasureReceipt {
  id: string;
  agentId: string;
  erasedAt: string;
  actor: string;
  counts: Record<string, number>;
  /** One page of the SHA-256 hashes of paths, in lower-case hex, sorted. */
  pathHashes: string[];
  /** The cursor of the next page of hashes; absent on the last page. */
  nextCursor?: string;
}

const MAX_ATTEMPTS = 5;
/** The number of chunks whose cached embeddings one statement deletes. */
const HASH_BATCH = 5000;
/** The number of path hashes in the answer to an erasure. */
const HASHES_ANSWERED = 1000;
/** The first version of an agent's schema that has sessions. */
const SESSIONS_VERSION = 3;
/** The first version of an agent's schema that has facts. */
const FACTS_VERSION = 5;

/**
 * Erases an agent for good: its schema and role, its embeddings in the cache, its jobs, keys,
 * bindings and usage. First marks the agent, after which no request finds it. Then one transaction
 * erases it and leaves a receipt. If the process dies in between, the next erasure of the agent or
 * the background sweep finishes the work.
 *
 * @throws AppError `forbidden`, `agent_not_found`
 */
export async function eraseAgent(deps: Deps, caller: Caller, agentId: string): Promise<ErasureReceipt> {
  authoriseUnbound(caller, "tenant");
  checkAgentId(agentId);
  const earlier = await findReplay<ErasureReceipt>(deps, caller);
  if (earlier) return earlier;
  await deps.db.transaction(async (tx) => {
    const row = await lockAgent(tx, caller.tenantId, agentId);
    if (!row) throw agentNotFound();
    await updateAgent(tx, caller.tenantId, agentId, { status: "erasing" });
    // Finishes the erasure if this process dies.
    await deps.queue.send(tx, MIGRATE_FLEET_JOB, { retryFailed: false }, "in a minute");
  });
  return finishErasure(deps, caller, agentId);
}

/** Erases an agent whose import failed, unless another agent has its id by now. */
export async function abandonImport(deps: Deps, caller: Caller, agentId: string, schemaName: string): Promise<void> {
  const isLeft = await deps.db.transaction(async (tx) => {
    const row = await lockAgent(tx, caller.tenantId, agentId);
    if (row?.status !== "importing" || row.schemaName !== schemaName) return false;
    await updateAgent(tx, caller.tenantId, agentId, { status: "erasing" });
    return true;
  });
  if (isLeft) await finishErasure(deps, { ...caller, once: undefined }, agentId);
}

/** Finishes the erasure of marked agents. @returns the number of marked agents */
export async function finishErasures(deps: Deps, callerOf: (tenantId: string) => Caller): Promise<number> {
  const rows = await agentsBeingErased(deps.db, 100);
  for (const row of rows) {
    await finishErasure(deps, callerOf(row.tenantId), row.id).catch((error: unknown) => {
      // Another process finished it. Any other error must not stop the erasure of the other agents.
      if (error instanceof AppError && error.code === "agent_not_found") return;
      deps.logger.error({ tenantId: row.tenantId, agentId: row.id, code: sqlState(error) }, "erasure failed");
    });
  }
  return rows.length;
}

/**
 * Erases a marked agent. The transaction waits for running writes and may deadlock with them. When
 * Postgres aborts this transaction to break a deadlock, it is retried.
 */
async function finishErasure(deps: Deps, caller: Caller, agentId: string): Promise<ErasureReceipt> {
  for (const withdraw of deps.hooks.beforeErasure) await withdraw(deps, caller.tenantId, agentId);
  const forgotten = await takingLong(() => forgetChunkEmbeddings(deps, caller.tenantId, agentId));
  for (let attempt = 1; ; attempt++) {
    try {
      return await takingLong(() => deps.db.transaction((tx) => erase(deps, caller, agentId, forgotten, tx)));
    } catch (error) {
      if (sqlState(error) !== SQLSTATE.deadlockDetected || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function erase(
  deps: Deps,
  caller: Caller,
  agentId: string,
  forgotten: number,
  tx: SqlExecutor,
): Promise<ErasureReceipt> {
  const { tenantId } = caller;
  const found = await findAgent(tx, tenantId, agentId);
  if (found?.status !== "erasing") throw agentNotFound();
  const space = spaceOf(found);
  await lockAgentSchema(tx, space);
  // Another process may have finished while this one waited for the lock.
  const row = await findAgent(tx, tenantId, agentId);
  if (row?.status !== "erasing" || row.schemaName !== found.schemaName) throw agentNotFound();
  const memory = await describeMemory(tx, space, row);
  const counts: Record<string, number> = { ...memory.counts };
  const at = deps.clock();
  const receipt = { id: randomUUID(), tenantId, agentId, actor: caller.actor, erasedAt: at, counts };
  await insertReceipt(tx, receipt, memory.generationId === undefined ? undefined : space.schema);
  if (!(await dropAgentSchema(tx, space))) {
    counts.rolesLeft = 1;
    deps.logger.warn({ role: row.roleName }, "an erased agent's role has grants elsewhere and was not dropped");
  }
  // After the schema is dropped. The drop has waited for every write, so no write can add rows any
  // more.
  counts.batches = await deleteAgentBatches(tx, tenantId, agentId);
  counts.jobs = await deps.queue.forget(tx, { tenantId, agentId });
  counts.keys = await deleteAgentKeys(tx, tenantId, agentId);
  await deleteAgentBindings(tx, tenantId, agentId);
  await deleteAgentAnswers(tx, tenantId, agentId);
  await deleteUsage(tx, tenantId, agentId);
  await forgetAgentUsage(tx, tenantId, agentId);
  await deleteAgent(tx, tenantId, agentId);
  // After the agent's row is deleted. Writers of vectors lock the row, and later writers do not
  // find it.
  counts.cachedEmbeddings = forgotten + (await forgetAgentEmbeddings(tx, tenantId, agentId));
  await updateReceiptCounts(tx, receipt.id, counts);
  const audit = { at, actor: caller.actor, action: "agent.erase", target: agentId };
  await insertAudit(tx, { tenantId, ...audit, details: { receiptId: receipt.id, ...counts } });
  const answer = await findErasure(tx, tenantId, receipt.id, { after: "", limit: HASHES_ANSWERED });
  await recordAnswer(deps, caller, tx, null, answer);
  return answer;
}

/**
 * Counts the contents of the schema before it is dropped. The service owns the schema and may read
 * it without the agent's role.
 */
async function describeMemory(tx: SqlExecutor, space: AgentSpace, row: AgentRow) {
  const none = { files: 0, sessions: 0, messages: 0, bytes: 0, chunks: 0, facts: 0 };
  // Version 0: the agent was marked during its creation, so the schema may not exist.
  const generationId = row.schemaVersion === 0 ? undefined : await activeGenerationId(tx, space.schema);
  if (generationId === undefined) return { counts: none, generationId };
  const files = await sumFiles(tx, space.schema, generationId);
  // The agent may have an old schema that was never migrated.
  const talks = row.schemaVersion >= SESSIONS_VERSION ? await sumSessions(tx, space.schema) : none;
  const known = row.schemaVersion >= FACTS_VERSION ? await sumFacts(tx, space.schema) : none;
  const bytes = files.bytes + talks.bytes + known.bytes;
  const counts = { ...files, sessions: talks.sessions, messages: talks.messages, facts: known.facts, bytes };
  return { counts, generationId };
}

/**
 * Deletes the cached embeddings of an agent's chunks, including those that another agent with the
 * same text stored. Does so in short transactions before the erasing one, because writers of the
 * same texts wait for these rows. A vector that a write stores meanwhile carries the agent's id, so
 * the erasing transaction deletes it.
 *
 * @returns the number of embeddings
 */
async function forgetChunkEmbeddings(deps: Deps, tenantId: string, agentId: string): Promise<number> {
  const row = await findAgent(deps.db, tenantId, agentId);
  if (row?.status !== "erasing" || row.schemaVersion === 0) return 0;
  const { schema } = spaceOf(row);
  let count = 0;
  try {
    const generationId = await activeGenerationId(deps.db, schema);
    if (generationId === undefined) return 0;
    for await (const hashes of hashesOfChunks(deps.db, schema, generationId, HASH_BATCH))
      count += await forgetEmbeddings(deps.db, tenantId, hashes);
  } catch (error) {
    // Another process has erased the agent meanwhile.
    if (sqlState(error) !== SQLSTATE.undefinedTable) throw error;
  }
  return count;
}

/**
 * Returns one page of a tenant's receipts, newest first, without the hashes.
 *
 * @throws AppError `forbidden`, `invalid_request`
 */
export async function listErasures(
  deps: Deps,
  caller: Caller,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ erasures: Omit<ErasureReceipt, "pathHashes">[]; nextCursor?: string }> {
  authoriseUnbound(caller, "tenant");
  const rows = await listReceipts(deps.db, caller.tenantId, { after: decodePositionCursor(cursor), limit: limit + 1 });
  const { page, next } = pageOf(rows, limit, positionKey);
  return { erasures: page.map(present), ...next };
}

/**
 * Returns one receipt with a page of its hashes.
 *
 * @throws AppError `forbidden`, `receipt_not_found`, `invalid_request`
 */
export async function readErasure(
  deps: Deps,
  caller: Caller,
  receiptId: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<ErasureReceipt> {
  authoriseUnbound(caller, "tenant");
  return findErasure(deps.db, caller.tenantId, receiptId, { after: decodeCursor(cursor), limit });
}

async function findErasure(
  sql: SqlExecutor,
  tenantId: string,
  receiptId: string,
  { after, limit }: { after: string; limit: number },
): Promise<ErasureReceipt> {
  const row = await findReceipt(sql, tenantId, receiptId, { after, limit: limit + 1 });
  if (!row) throw new AppError("receipt_not_found", "The tenant has no such receipt.");
  const { page, next } = pageOf(row.pathHashes, limit, (hash) => hash);
  return { ...present(row), pathHashes: page, ...next };
}

function present({ id, agentId, erasedAt, actor, counts }: ReceiptSummary): Omit<ErasureReceipt, "pathHashes"> {
  return { id, agentId, erasedAt: erasedAt.toISOString(), actor, counts };
}
