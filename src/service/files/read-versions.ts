import { AppError } from "../../base/errors.ts";
import { decodeCursor, decodeIdCursor, pageOf } from "../../base/page-cursor.ts";
import {
  type FileVersionRow,
  listDeletedFiles,
  listVersions,
  purgeVersions,
  readVersion,
  type StandingFile,
  standingFile,
} from "../../db/agent/files/file-versions.ts";
import { readFile } from "../../db/agent/files/files.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { foldersOf } from "../../settings/extra-paths.ts";
import { checkReadablePath } from "../../settings/memory-path.ts";
import { findAgent, findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import type { FileDeps } from "./file-deps.ts";
import type { ExpectedHashes, WrittenFile } from "./write-batch.ts";
import { writeFiles } from "./write-files.ts";

/** An earlier version of a file, in the form that callers receive. */
export interface FileVersion extends Omit<FileVersionRow, "mtime" | "writtenAt" | "endedAt" | "original"> {
  mtime: string;
  writtenAt: string;
  endedAt: string;
}

interface VersionPage {
  cursor?: string | undefined;
  limit: number;
}

/**
 * Returns one page of a file's earlier versions, newest first, and its current state; null when the
 * file is deleted. A path that never had a file has neither.
 *
 * @throws AppError as `findAgent`, and `invalid_path`, `invalid_request`
 */
export async function listFileVersions(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { path, ...page }: VersionPage & { path: string },
) {
  const { agent, profile } = await findAgent(deps, caller, "agent:read", agentId);
  const checked = checkReadablePath(path, foldersOf(profile.settings));
  const before = decodeIdCursor(page.cursor);
  if (!agent) return { path: checked, current: null, versions: [] };
  const { current, rows } = await withAgentReads(deps.db, agent, async (tx) => ({
    current: await standingFile(tx, agent.schema, checked),
    rows: await listVersions(tx, agent.schema, checked, { before, limit: page.limit + 1 }),
  }));
  const { page: versions, next } = pageOf(rows, page.limit, ({ version }) => version);
  return {
    path: checked,
    current: current ? presentStanding(current) : null,
    versions: versions.map(present),
    ...next,
  };
}

/**
 * Returns one page of deleted files that can be restored, in path order, each with its last
 * version.
 */
export async function listDeleted(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { prefix = "", cursor, limit }: VersionPage & { prefix?: string | undefined },
) {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  const after = decodeCursor(cursor);
  if (!agent) return { versions: [] };
  const rows = await withAgentReads(deps.db, agent, (tx) =>
    listDeletedFiles(tx, agent.schema, { prefix, after, limit: limit + 1 }),
  );
  const { page, next } = pageOf(rows, limit, ({ path }) => path);
  return { versions: page.map(present), ...next };
}

/** Returns one version with its text. @throws AppError `version_not_found` */
export async function getVersion(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  version: string,
): Promise<FileVersion & { content: string }> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  const row = await requireVersion(deps, agent, version);
  return { ...present(row), content: row.content };
}

/**
 * Returns a unified diff from one version of a file to another, or to its current text. The diff is
 * empty when they are equal.
 *
 * @param to undefined: the current text, which is empty for a deleted file
 * @throws AppError `version_not_found`; `invalid_request` when the versions belong to two files
 */
export async function diffVersions(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  from: string,
  to: string | undefined,
): Promise<{ path: string; from: string; to: string | null; diff: string; exact: boolean }> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  const old = await requireVersion(deps, agent, from);
  const next = to === undefined ? await contentNow(deps, agent, old.path) : await requireVersion(deps, agent, to);
  if (next && "path" in next && next.path !== old.path)
    throw new AppError("invalid_request", "The two versions belong to different files; compare versions of one file.");
  const { path, content: before } = old;
  const diff = await deps.preparer.compare(caller.tenantId, { path, before, after: next?.content ?? "" });
  return { path, from, to: to ?? null, ...diff };
}

async function contentNow(deps: FileDeps, agent: KnownAgent | undefined, path: string) {
  return agent && (await withAgentReads(deps.db, agent, (tx) => readFile(tx, agent.schema, path)));
}

/**
 * Writes a version's text to its path, as an ordinary write: the current text becomes a version.
 *
 * @throws AppError `version_not_found`, and as `writeFiles`
 */
export async function restoreVersion(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  version: string,
  expectedAt: (path: string) => ExpectedHashes,
): Promise<WrittenFile> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  const { path, content, mtime, original } = await requireVersion(deps, agent, version);
  const put = [{ path, content, mtime, original: original ?? undefined }];
  const restorer = { ...caller, via: "restore" };
  const { files } = await writeFiles(deps, restorer, agentId, { put, delete: [], expected: expectedAt(path) });
  return files[0] as WrittenFile;
}

/**
 * Deletes all earlier versions of a path's file for good. The current text stays. Snapshots lose
 * these versions too.
 *
 * @throws AppError `forbidden`, `invalid_path`
 */
export async function forgetVersions(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  path: string,
): Promise<{ path: string; versions: number }> {
  const { agent, profile } = await findAgent(deps, caller, "tenant", agentId);
  const checked = checkReadablePath(path, foldersOf(profile.settings));
  if (!agent) return { path: checked, versions: 0 };
  const earlier = await findReplay<{ path: string; versions: number }>(deps, caller);
  if (earlier) return earlier;
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const { versions, bytes } = await purgeVersions(tx, agent.schema, checked);
    if (versions === 0) return { path: checked, versions };
    const service = await tx.asService();
    await recordAnswer(deps, caller, service, agentId, { path: checked, versions });
    const audit = { at: deps.clock(), actor: caller.actor, action: "files.forget-versions", target: agentId };
    await insertAudit(service, { tenantId: agent.tenantId, ...audit, details: { versions } });
    await takeQuota(service, agent, { files: 0, bytes: 0, chunks: 0, facts: 0, historyBytes: -bytes });
    return { path: checked, versions };
  });
}

async function requireVersion(deps: FileDeps, agent: KnownAgent | undefined, version: string) {
  const row = agent && (await withAgentReads(deps.db, agent, (tx) => readVersion(tx, agent.schema, version)));
  if (row) return row;
  throw new AppError("version_not_found", "There is no such version, or it is not kept any more; list the versions.");
}

function present({ content: _, original: __, ...row }: FileVersionRow & { content?: string }): FileVersion {
  const at = { writtenAt: row.writtenAt.toISOString(), endedAt: row.endedAt.toISOString() };
  return { ...row, ...at, mtime: row.mtime.toISOString() };
}

function presentStanding({ writtenAt, path: _, ...row }: StandingFile) {
  return { ...row, writtenAt: writtenAt.toISOString() };
}
