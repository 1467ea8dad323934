import { foldersOf } from "../../agents/extra-paths.ts";
import { checkReadablePath } from "../../agents/memory-path.ts";
import { AppError } from "../../base/errors.ts";
import { decodeCursor, pageOf } from "../../base/page-cursor.ts";
import { type FileRow, listFiles, listOrigins, readFile } from "../../db/agent/files/files.ts";
import type { FileOriginal } from "../../db/agent/files/original.ts";
import { withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import { findAgent, findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { requireGeneration } from "../core/known-agent.ts";
import type { FileDeps } from "./file-deps.ts";

export interface FileSummary {
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  /** Which folder that is synced sent it as it is; null when somebody wrote it. */
  origin: string | null;
  /** The document that the text was read from, with the number of its pages; null of a text that was written as such. */
  original: { hash: string; type: string; size: number; pages?: number | undefined } | null;
}

/** Origins of one answer. */
const MAX_ORIGINS = 1000;

/** One whole file, byte for byte as it was written. @throws AppError `file_not_found`, `invalid_path`, `agent_not_found` */
export async function getFile(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  path: string,
): Promise<FileSummary & { content: string }> {
  const { agent, profile } = await findAgent(deps, caller, "agent:read", agentId);
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

/** One page of an agent's files in path order. `cursor` is the `nextCursor` of the page before. */
export async function listAgentFiles(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  page: { prefix?: string | undefined; origin?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<{ files: (FileSummary & { chunks: number })[]; nextCursor?: string }> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
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

/** The origins of an agent's files, those with the most files first. */
export async function listFileOrigins(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
): Promise<{ origins: { origin: string; files: number }[] }> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  if (!agent) return { origins: [] };
  return { origins: await withAgentReads(deps.db, agent, (tx) => listOrigins(tx, agent.schema, MAX_ORIGINS)) };
}
