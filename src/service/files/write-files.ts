import { AppError } from "../../base/errors.ts";
import type { FileOriginal } from "../../db/agent/files/original.ts";
import { type AgentReads, GENERIC_PLAN, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import {
  generationsAndFiles,
  type KnownFile,
  type LiveGenerations,
  textLanguages,
} from "../../db/agent/schema/generations.ts";
import { documentDay } from "../../ingest/document-day.ts";
import { inSpan } from "../../observe/trace.ts";
import { checkMemoryPath, factOfPath, isReservedPath } from "../../settings/memory-path.ts";
import { refuseSharedPlace } from "../../settings/shared-paths.ts";
import { findOrCreateAgent } from "../agent/create-agent.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { countUsage } from "../core/quota.ts";
import { cachedEmbeddings, chunkLimit } from "../embedding/embedder-for.ts";
import { commitFiles, requireExpected } from "./commit-files.ts";
import type { FileDeps } from "./file-deps.ts";
import type { Claim } from "./file-origins.ts";
import type { PreparedChunk, PrepareRequest } from "./prepared-file.ts";
import type { Alongside, ExpectedHashes, Plan, PreparedWrite, WriteAnswer, WrittenFile } from "./write-batch.ts";

export interface FileInput {
  path: string;
  content: string;
  mtime?: Date | undefined;
  /** The synced folder that the file comes from; undefined for a file that a caller writes. */
  origin?: string | undefined;
  /** The document that the content was read from. */
  original?: FileOriginal | undefined;
}

/** The files to write and delete. */
interface FileBatch {
  put: readonly FileInput[];
  delete: readonly string[];
  /** The state that files must still have. If one has changed, nothing is written. */
  expected?: ExpectedHashes;
  /** The origin of the batch. If the batch would change files of others, nothing is written. */
  claim?: Claim | undefined;
  alongside?: Alongside | undefined;
}

/**
 * The most attempts of a write. When an index build begins or ends between preparing and storing,
 * the preparation is useless and is repeated. With fifty clients, some of which kept changing the
 * chunking, three builds began and ended within one write.
 */
const MAX_ATTEMPTS = 10;

/**
 * Writes and deletes files of an agent, all or nothing. When it returns, the files are durable and
 * found by keyword, and the job that embeds the texts missing from the cache is committed with
 * them. The CPU work (chunking) and the cache lookup come first; only SQL runs inside the
 * transaction. While a new index is built beside the active one, both are written.
 *
 * @throws AppError `file_changed` when a file is not as expected; `origin_conflict` when a file
 *   belongs to another origin
 */
export async function writeFiles(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  batch: FileBatch,
): Promise<WriteAnswer> {
  const { claim } = batch;
  const origin = claim && { origin: claim.origin };
  const put = batch.put.map((file) => ({ ...file, ...origin, path: checkFilePath(file.path) }));
  const toDelete = batch.delete.map(checkMemoryPath);
  rejectRepeatedPaths([...put.map((file) => file.path), ...toDelete]);
  const expected = new Map([...(batch.expected ?? [])].map(([path, hash]) => [checkMemoryPath(path), hash]));
  return inSpan("write_files", { attributes: { "recollect.files": put.length + toDelete.length } }, async () => {
    const agent = await findOrCreateAgent(deps, caller, agentId);
    const earlier = await findReplay<WriteAnswer>(deps, caller);
    return earlier ?? writeChecked(deps, caller, agent, { put, delete: toDelete, expected, claim });
  });
}

/**
 * Writes files of an agent that has been found, at paths that are checked and distinct.
 *
 * @throws AppError `quota_exceeded`, `invalid_path`, and as `writeFiles`
 */
export async function writeChecked(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  batch: FileBatch,
): Promise<WriteAnswer> {
  const { put, delete: toDelete, expected = new Map(), claim, alongside } = batch;
  // Checked here and not only for requests, because merges and imports write files too.
  for (const { path } of put) refuseSharedPlace(path);
  if (!agent.usageKnown) await countUsage(deps, agent);
  for (let attempt = 1; ; attempt++) {
    const paths = put.map((file) => file.path);
    const { live, files: before } = await deps.coalesced.files(agent.schema, paths, (asked) => {
      const read = (tx: AgentReads) => generationsAndFiles(tx, agent.schema, asked.flat());
      return withAgentReads(deps.db, agent, read, [GENERIC_PLAN]);
    });
    // Also checks unchanged files, which are not locked below.
    requireExpected(expected, paths, (path) => before.get(path)?.hash);
    const { files, plans } = await prepare(deps, caller, agent, put, live, before);
    const changed = files.filter((file) => isChanged(file, before.get(file.path)));
    const same = claim ? files.filter((file) => !changed.includes(file)) : [];
    const [{ chunks } = { chunks: new Map<string, never[]>() }] = plans;
    const answer = (pending: ReadonlyMap<string, number>, deleted: readonly string[]) => ({
      files: files.map((file) => describe(file, before, chunks, pending)),
      deleted: [...deleted],
    });
    const result = await commitFiles(deps, agent, {
      caller,
      changed,
      same,
      toDelete,
      plans,
      expected,
      claim,
      alongside,
      answer,
    });
    if (result !== "generations changed") return result;
    if (attempt === MAX_ATTEMPTS) throw indexChanges();
  }
}

/**
 * Chunks each file once for each chunking setting, and reads the cached embeddings of changed
 * files.
 */
async function prepare(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  put: readonly FileInput[],
  live: LiveGenerations,
  before: ReadonlyMap<string, KnownFile>,
): Promise<{ files: PreparedWrite[]; plans: Plan[] }> {
  const generations = [live.active, live.building].filter((one) => one !== undefined);
  let files: PreparedWrite[] = [];
  const plans: Plan[] = [];
  const cuts = new Map<string, Plan>();
  for (const generation of generations) {
    const { chunkTokens: tokens, chunkOverlap: overlap, chunkHeadings: headings } = generation;
    const limit = await chunkLimit(deps, generation, agent);
    const settings = { tokens, overlap, headings, limit, languages: textLanguages(generation) };
    const like = cuts.get(JSON.stringify(settings));
    const cut = like ? undefined : await cutFiles(deps, agent, put, settings);
    files = plans.length === 0 && cut ? cut.map(({ chunks: _, ...file }) => file) : files;
    const chunks = like?.chunks ?? new Map((cut ?? []).map((file) => [file.path, file.chunks]));
    const changed = files.filter((file) => isChanged(file, before.get(file.path)));
    const hashes = changed.flatMap((file) => (chunks.get(file.path) ?? []).map((chunk) => chunk.hash));
    const plan = { generation, chunks, cached: await cachedEmbeddings(deps, agent, generation, hashes, caller) };
    cuts.set(JSON.stringify(settings), plan);
    plans.push(plan);
  }
  return { files, plans };
}

/**
 * Returns whether a file differs from the stored one. The same text from another document is a
 * change: its pages may begin elsewhere, and the new document need not be read again.
 */
function isChanged(file: PreparedWrite, known: KnownFile | undefined): boolean {
  return known?.hash !== file.hash || (file.original !== null && file.original.hash !== known.original);
}

function cutFiles(
  deps: FileDeps,
  agent: KnownAgent,
  put: readonly FileInput[],
  settings: Omit<PrepareRequest, "content" | "path">,
) {
  return Promise.all(
    put.map(async (file) => ({
      path: file.path,
      content: file.content,
      mtime: file.mtime ?? deps.clock(),
      day: documentDay(file.path, file.content),
      origin: file.origin ?? null,
      original: file.original ?? null,
      ...(await deps.preparer.prepare(agent.tenantId, { content: file.content, path: file.path, ...settings })),
    })),
  );
}

function indexChanges(): AppError {
  return new AppError("database_unavailable", "The agent's index is being replaced; try again in a moment.");
}

/**
 * Refuses paths of sessions, facts and shared memories. Older files at such a path can still be
 * deleted.
 */
export function checkFilePath(text: string): string {
  const path = checkMemoryPath(text);
  refuseSharedPlace(path);
  if (factOfPath(path) !== undefined)
    throw new AppError("invalid_path", "Paths of the form facts/{id} are reserved for facts. Choose another path.");
  if (!isReservedPath(path)) return path;
  throw new AppError(
    "invalid_path",
    "Paths of the form sessions/{channel}:{context} are reserved for sessions. Choose another path.",
  );
}

/** Refuses two writes of one path in one batch, which have no order. */
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
  before: ReadonlyMap<string, KnownFile>,
  chunks: ReadonlyMap<string, readonly PreparedChunk[]>,
  pending: ReadonlyMap<string, number>,
): WrittenFile {
  const known = before.get(file.path)?.hash;
  const status = known === undefined ? "created" : known === file.hash ? "unchanged" : "updated";
  return {
    path: file.path,
    hash: file.hash,
    status,
    chunks: chunks.get(file.path)?.length ?? 0,
    pendingEmbeddings: pending.get(file.path) ?? 0,
  };
}

/**
 * Deletes one file with its chunks and vectors.
 *
 * @throws AppError `file_not_found`, `file_changed`, `invalid_path`, `agent_not_found`
 */
export async function deleteFile(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  path: string,
  expected: ExpectedHashes = new Map(),
): Promise<string> {
  const checked = checkMemoryPath(path);
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  const { deleted } = agent
    ? await writeFiles(deps, caller, agentId, { put: [], delete: [checked], expected })
    : { deleted: [] };
  const [gone] = deleted;
  if (gone === undefined)
    throw new AppError("file_not_found", "The agent has no file with this path; list its files to see the paths.");
  return gone;
}
