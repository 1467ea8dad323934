import { AppError } from "../../base/errors.ts";
import { decodeCursor, pageOf } from "../../base/page-cursor.ts";
import { listFolder } from "../../db/agent/files/directories.ts";
import { type FileRow, listFiles, listOrigins, readFile } from "../../db/agent/files/files.ts";
import type { FileOriginal } from "../../db/agent/files/original.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { foldersOf } from "../../settings/extra-paths.ts";
import { checkReadablePath } from "../../settings/memory-path.ts";
import { findKnownAgent, findKnownMemory, findMemory } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { type KnownAgent, requireGeneration } from "../core/known-agent.ts";
import type { FileDeps } from "./file-deps.ts";

export interface FileSummary {
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  /** The synced folder that sent the file's current content; null when a caller wrote it. */
  origin: string | null;
  /**
   * The document that the text was read from, with the number of its pages; null for a text that
   * was written directly.
   */
  original: { hash: string; type: string; size: number; pages?: number | undefined } | null;
}

/** The most origins in one answer. */
const MAX_ORIGINS = 1000;

/**
 * Returns one whole file, byte for byte as it was written.
 *
 * @throws AppError `file_not_found`, `invalid_path`, `agent_not_found`
 */
export async function getFile(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  path: string,
): Promise<FileSummary & { content: string }> {
  const { agent, profile } = await findMemory(deps, caller, "agent:read", agentId);
  const checked = checkReadablePath(path, foldersOf(profile.settings));
  const file = agent && (await withAgentReads(deps.db, agent, (tx) => readFile(tx, agent.schema, checked)));
  if (!file)
    throw new AppError("file_not_found", "The agent has no file with this path; list its files to see the paths.");
  return summaryOf(file);
}

function summaryOf<T extends FileRow>({ original, mtime, ...row }: T) {
  return { ...row, mtime: mtime.toISOString(), original: original && withPageCount(original) };
}

function withPageCount({ pages, ...original }: FileOriginal) {
  return { ...original, ...(pages && { pages: pages.length }) };
}

interface ListedFiles {
  files: (FileSummary & { chunks: number })[];
  /** The paths that end with the delimiter; absent when no delimiter was given. */
  folders?: string[];
  nextCursor?: string;
}

interface FilesPage {
  prefix?: string | undefined;
  origin?: string | undefined;
  /** With `/`, a folder is listed instead of the files in it. */
  delimiter?: "/" | undefined;
  cursor?: string | undefined;
  limit: number;
}

/**
 * Returns one page of an agent's files in path order. `cursor` is the `nextCursor` of the previous
 * page.
 *
 * @throws AppError as `findAgent`, and `invalid_request`
 */
export async function listAgentFiles(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  page: FilesPage,
): Promise<ListedFiles> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  if (page.delimiter !== undefined) return listAgentFolder(deps, agent, page);
  if (!agent) return { files: [] };
  const rows = await withAgentReads(deps.db, agent, async (tx) => {
    const generation = await requireGeneration(tx, agent);
    return listFiles(tx, agent.schema, {
      generationId: generation.id,
      prefix: page.prefix ?? "",
      origin: page.origin ?? null,
      after: decodeCursor(page.cursor),
      limit: page.limit + 1,
    });
  });
  const { page: files, next } = pageOf(rows, page.limit, ({ path }) => path);
  return { files: files.map(summaryOf), ...next };
}

async function listAgentFolder(deps: FileDeps, agent: KnownAgent | undefined, page: FilesPage): Promise<ListedFiles> {
  if (page.origin !== undefined)
    throw new AppError(
      "invalid_request",
      "The files of one origin cannot be listed by folder; leave out origin or delimiter.",
    );
  const after = decodeCursor(page.cursor);
  if (!agent) return { files: [], folders: [] };
  const { prefix = "", limit } = page;
  const rows = await withAgentReads(deps.db, agent, async (tx) => {
    const { id: generationId } = await requireGeneration(tx, agent);
    return listFolder(tx, agent.schema, { generationId, prefix, after, limit: limit + 1 });
  });
  const { page: entries, next } = pageOf(rows, limit, (entry) => ("folder" in entry ? entry.folder : entry.file.path));
  return {
    files: entries.flatMap((entry) => ("file" in entry ? [summaryOf(entry.file)] : [])),
    folders: entries.flatMap((entry) => ("folder" in entry ? [entry.folder] : [])),
    ...next,
  };
}

/** Returns the origins of an agent's files, those with the most files first. */
export async function listFileOrigins(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
): Promise<{ origins: { origin: string; files: number }[] }> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  if (!agent) return { origins: [] };
  return { origins: await withAgentReads(deps.db, agent, (tx) => listOrigins(tx, agent.schema, MAX_ORIGINS)) };
}
