import { checkMemoryPath } from "../agents/memory-path.ts";
import { sessionOfPath } from "../agents/session-key.ts";
import { AppError } from "../base/errors.ts";
import { type AgentTransaction, withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { deleteFiles, fileHashes, type LockedFile, lockFiles } from "../db/agent/files.ts";
import { type Generation, type LiveGenerations, liveGenerations } from "../db/agent/generations.ts";
import { inSpan } from "../observe/trace.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB } from "../queue/job-contracts.ts";
import type { Caller, Deps } from "./deps.ts";
import { cachedEmbeddings } from "./embedder-of.ts";
import { findOrCreateAgent, type KnownAgent } from "./find-agent.ts";
import type { PreparedChunk, PreparedFile } from "./prepare-file.ts";
import { countUsage, takeQuota } from "./quota.ts";
import type { Replaced } from "./store-chunks.ts";
import { storeChunks, storeContents } from "./store-files.ts";
import { earlierAnswer, noteAnswer } from "./write-once.ts";

export interface FileInput {
  path: string;
  content: string;
  mtime?: Date | undefined;
}

export interface WrittenFile {
  path: string;
  hash: string;
  status: "created" | "updated" | "unchanged";
  chunks: number;
  /** Chunks whose embedding is still to be made; they are found by keyword meanwhile. */
  pendingEmbeddings: number;
}

export interface WriteAnswer {
  files: WrittenFile[];
  deleted: string[];
}

/** What a write or deletion was made up on: the hash that the file had, `*` for whatever it had, or null for no file. */
export type ExpectedHashes = ReadonlyMap<string, string | null>;

type PreparedWrite = Omit<PreparedFile, "chunks"> & { path: string; content: string; mtime: Date };

/** A generation with the chunks of each file under its settings, and what the cache knows of their embeddings. */
interface Plan {
  generation: Generation;
  chunks: Map<string, readonly PreparedChunk[]>;
  cached: ReadonlyMap<string, Float32Array>;
}

/** What is to be stored, all or nothing, and how to say what became of it. */
interface Work {
  changed: PreparedWrite[];
  doomed: readonly string[];
  plans: readonly Plan[];
  expected: ExpectedHashes;
  answer(pending: ReadonlyMap<string, number>, deleted: string[]): WriteAnswer;
}

/**
 * A build that begins or ends between preparing and storing makes the preparation useless; then it is done again. Fifty clients,
 * of which some went on changing how files are cut, had three builds begin and end within one write.
 */
const MAX_ATTEMPTS = 10;

/**
 * Writes and deletes files of an agent, all or nothing. When it returns the files are durable and found by keyword, and
 * the job that embeds what the cache did not have is committed with them. The CPU work (chunking) and the cache lookup
 * come first; nothing but SQL happens inside the transaction. While an index is built beside the one in use, both are written.
 *
 * @param batch.expected files that must still be as they were read, or nothing is done
 * @throws AppError `file_changed` when one is not
 */
export async function writeFiles(
  deps: Deps,
  caller: Caller,
  agentId: string,
  batch: { put: readonly FileInput[]; delete: readonly string[]; expected?: ExpectedHashes },
): Promise<WriteAnswer> {
  const put = batch.put.map((file) => ({ ...file, path: checkFilePath(file.path) }));
  const doomed = batch.delete.map(checkMemoryPath);
  rejectRepeatedPaths([...put.map((file) => file.path), ...doomed]);
  const expected = new Map([...(batch.expected ?? [])].map(([path, hash]) => [checkMemoryPath(path), hash]));
  return inSpan("write_files", { attributes: { "recollect.files": put.length + doomed.length } }, async () => {
    const agent = await findOrCreateAgent(deps, caller, agentId);
    const earlier = await earlierAnswer<WriteAnswer>(deps, caller);
    return earlier ?? writeChecked(deps, caller, agent, { put, delete: doomed, expected });
  });
}

/** The same for an agent that is found and paths that are checked and distinct. @throws AppError `quota_exceeded` */
export async function writeChecked(
  deps: Deps,
  caller: Caller,
  agent: KnownAgent,
  batch: { put: readonly FileInput[]; delete: readonly string[]; expected?: ExpectedHashes },
): Promise<WriteAnswer> {
  const { put, delete: doomed, expected = new Map() } = batch;
  if (!agent.usageKnown) await countUsage(deps, agent);
  for (let attempt = 1; ; attempt++) {
    const { live, before } = await withAgentTransaction(deps.db, agent, async (tx) => ({
      live: await liveGenerations(tx, agent.schema),
      before: await fileHashes(
        tx,
        agent.schema,
        put.map((file) => file.path),
      ),
    }));
    // Also for a file that is to be what it is already, which is not locked below.
    requireExpected(
      expected,
      put.map((file) => file.path),
      (path) => before.get(path),
    );
    const { files, plans } = await prepare(deps, caller, agent, put, live, before);
    const changed = files.filter((file) => before.get(file.path) !== file.hash);
    const [{ chunks } = { chunks: new Map<string, never[]>() }] = plans;
    const answer = (pending: ReadonlyMap<string, number>, deleted: string[]) => ({
      files: files.map((file) => describe(file, before, chunks, pending)),
      deleted,
    });
    const result = await commit(deps, caller, agent, { changed, doomed, plans, expected, answer });
    if (result !== "generations changed") return result;
    if (attempt === MAX_ATTEMPTS) throw indexChanges();
  }
}

/** Cuts each file once for each way of chunking, and asks the cache about the chunks of those that have changed. */
async function prepare(
  deps: Deps,
  caller: Caller,
  agent: KnownAgent,
  put: readonly FileInput[],
  live: LiveGenerations,
  before: ReadonlyMap<string, string>,
): Promise<{ files: PreparedWrite[]; plans: Plan[] }> {
  const generations = [live.active, live.building].filter((one) => one !== undefined);
  let files: PreparedWrite[] = [];
  const plans: Plan[] = [];
  for (const generation of generations) {
    const like = plans.find(
      (plan) =>
        plan.generation.chunkTokens === generation.chunkTokens &&
        plan.generation.chunkOverlap === generation.chunkOverlap &&
        plan.generation.chunkHeadings === generation.chunkHeadings,
    );
    const cut = like ? undefined : await cutFiles(deps, put, generation);
    files = plans.length === 0 && cut ? cut.map(({ chunks: _, ...file }) => file) : files;
    const chunks = like?.chunks ?? new Map((cut ?? []).map((file) => [file.path, file.chunks]));
    const changed = files.filter((file) => before.get(file.path) !== file.hash);
    const hashes = changed.flatMap((file) => (chunks.get(file.path) ?? []).map((chunk) => chunk.hash));
    plans.push({ generation, chunks, cached: await cachedEmbeddings(deps, agent, generation, hashes, caller) });
  }
  return { files, plans };
}

function cutFiles(deps: Deps, put: readonly FileInput[], generation: Generation) {
  const { chunkTokens: tokens, chunkOverlap: overlap, chunkHeadings: headings } = generation;
  return Promise.all(
    put.map(async (file) => ({
      path: file.path,
      content: file.content,
      mtime: file.mtime ?? deps.clock(),
      ...(await deps.preparer.prepare({ content: file.content, tokens, overlap, headings })),
    })),
  );
}

async function commit(
  deps: Deps,
  caller: Caller,
  agent: KnownAgent,
  { changed, doomed, plans, expected, answer }: Work,
): Promise<WriteAnswer | "generations changed"> {
  if (changed.length === 0 && doomed.length === 0 && !caller.once) return answer(new Map(), []);
  return withAgentTransaction(deps.db, agent, async (tx) => {
    // First, before the generations are read: the flip to a new one keeps writers waiting at this statement.
    const locked = await lockFiles(tx, agent.schema, [...changed.map((file) => file.path), ...doomed]);
    requireExpected(expected, [...changed.map((file) => file.path), ...doomed], (path) => locked.get(path)?.hash);
    const { active, building } = await liveGenerations(tx, agent.schema);
    const ids = [active, building].flatMap((one) => one?.id ?? []);
    if (!active || plans.map((plan) => plan.generation.id).join() !== ids.join()) return "generations changed";
    const stamp = { generationId: building?.id ?? active.id, now: deps.clock() };
    const stored = await storeContents(tx, changed, locked, stamp);
    const results: Replaced[] = [];
    for (const { generation, chunks, cached } of plans) {
      const files = changed.map(({ path }) => ({ path, chunks: chunks.get(path) ?? [] }));
      results.push(await storeChunks(tx, generation, files, stored.ids, cached));
    }
    const removal = await remove(tx, active, doomed, locked);
    const service = await tx.asService();
    const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
    if (results.some((result) => result.pending.size > 0)) await deps.queue.send(service, EMBED_JOB, payload);
    await deps.queue.send(service, MAINTAIN_INDEX_JOB, payload);
    const written = answer(results[0]?.pending ?? new Map(), removal.deleted);
    // Nothing but deletions of what is not there is refused by some callers, and may be asked again.
    if (written.files.length + written.deleted.length > 0)
      await noteAnswer(deps, caller, service, agent.agentId, written);
    // Last: the agent's row stays locked until the commit, and other writers of the agent wait for it.
    await takeQuota(service, agent, {
      files: stored.files - removal.deleted.length,
      bytes: stored.bytes - removal.bytes,
      chunks: (results[0]?.added ?? 0) - removal.chunks,
      facts: 0,
    });
    return written;
  });
}

async function remove(
  tx: AgentTransaction,
  generation: Generation,
  doomed: readonly string[],
  locked: ReadonlyMap<string, LockedFile>,
): Promise<{ deleted: string[]; bytes: number; chunks: number }> {
  const deleted = doomed.filter((path) => locked.has(path));
  if (deleted.length === 0) return { deleted, bytes: 0, chunks: 0 };
  const rows = deleted.flatMap((path) => locked.get(path) ?? []);
  const ids = rows.map((row) => row.id);
  const chunks = await deleteFiles(tx, tx.schema, generation.id, ids);
  return { deleted, bytes: rows.reduce((sum, row) => sum + row.size, 0), chunks };
}

/** @throws AppError `file_changed` when one of these paths has another hash than the one it is expected to have */
function requireExpected(
  expected: ExpectedHashes,
  paths: readonly string[],
  hashOf: (path: string) => string | undefined,
): void {
  const isOther = (path: string) => {
    const [wanted, hash] = [expected.get(path), hashOf(path)];
    return wanted === "*" ? hash === undefined : wanted !== undefined && wanted !== (hash ?? null);
  };
  if (paths.some(isOther))
    throw new AppError("file_changed", "The file was changed by somebody else meanwhile; read it again first.");
}

function indexChanges(): AppError {
  return new AppError("database_unavailable", "The agent's index is being replaced; try again in a moment.");
}

/** A file cannot be written where a session stands; one that is there from before sessions were can still be deleted. */
function checkFilePath(text: string): string {
  const path = checkMemoryPath(text);
  if (sessionOfPath(path) === undefined) return path;
  throw new AppError(
    "invalid_path",
    "Paths of the form sessions/{channel}:{context} are those of sessions; use another.",
  );
}

/** Two writes of one path in one batch have no order, so the batch has no meaning. */
function rejectRepeatedPaths(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    if (seen.has(path))
      throw new AppError("invalid_request", "A path occurs more than once in the batch; send each path once.", {
        details: { path },
      });
    seen.add(path);
  }
}

function describe(
  file: PreparedWrite,
  before: ReadonlyMap<string, string>,
  chunks: ReadonlyMap<string, readonly PreparedChunk[]>,
  pending: ReadonlyMap<string, number>,
): WrittenFile {
  const known = before.get(file.path);
  const status = known === undefined ? "created" : known === file.hash ? "unchanged" : "updated";
  return {
    path: file.path,
    hash: file.hash,
    status,
    chunks: chunks.get(file.path)?.length ?? 0,
    pendingEmbeddings: pending.get(file.path) ?? 0,
  };
}
