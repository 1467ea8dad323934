import { AppError } from "../../base/errors.ts";
import { decodeCursor, notOfAListing, pageOf } from "../../base/page-cursor.ts";
import { type BorderedChunk, pageOfChunks } from "../../db/agent/chunks/chunks-of-path.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import type { Scope } from "../../db/agent/schema/scope.ts";
import { foldersOf } from "../../settings/extra-paths.ts";
import { checkReadablePath, factOfPath, sessionOfPath } from "../../settings/memory-path.ts";
import { findAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { requireGeneration } from "../core/known-agent.ts";
import type { FileDeps } from "./file-deps.ts";

/** An indexed piece of a document. */
export interface ChunkBorders {
  startLine: number;
  endLine: number;
  /** The headings that the chunk is indexed under; "" when it has none. */
  heading: string;
  /** The numbers of the chunk's messages, if it comes from a conversation. */
  messages?: { from: number; to: number };
  /** Whether its embedding is stored; null in an index for keywords alone. */
  embedded: boolean | null;
}

/**
 * Returns one page of the chunks of a file, a session (by its path) or a fact (`facts/12`) in the
 * active index, in order. `cursor` is the `nextCursor` of the previous page. A write between two
 * pages may move borders, but every chunk that stays is listed.
 *
 * @throws AppError `file_not_found`, `invalid_path`, `agent_not_found`, `invalid_request` for a
 *   cursor of another listing
 */
export async function listChunks(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  page: { path: string; cursor?: string | undefined; limit: number; reader?: Scope | undefined },
): Promise<{ chunks: ChunkBorders[]; nextCursor?: string }> {
  const { agent, profile } = await findAgent(deps, caller, "agent:read", agentId);
  const sessionKey = sessionOfPath(page.path.normalize("NFC"));
  // A session's path may be longer than a file's.
  const path = sessionKey === undefined ? checkReadablePath(page.path, foldersOf(profile.settings)) : page.path;
  const after = positionOf(decodeCursor(page.cursor));
  const of = { path, sessionKey, factId: factOfPath(path), reader: page.reader };
  const read =
    agent &&
    (await withAgentReads(deps.db, agent, async (tx) => {
      const { id: generationId, dimensions } = await requireGeneration(tx, agent);
      const index = { schema: agent.schema, generationId, dimensions };
      return pageOfChunks(tx, index, of, { after, limit: page.limit + 1 });
    }));
  if (!read?.found)
    throw new AppError("file_not_found", "The agent has nothing with this path; list its files to see the paths.");
  const { page: chunks, next } = pageOf(read.chunks, page.limit, ({ ordinal, id }) => `${ordinal}.${id}`);
  return { chunks: chunks.map(bordersOf), ...next };
}

function bordersOf({ startLine, endLine, heading, firstMessage, lastMessage, embedded }: BorderedChunk): ChunkBorders {
  const messages =
    firstMessage === null || lastMessage === null ? {} : { messages: { from: firstMessage, to: lastMessage } };
  return { startLine, endLine, heading, ...messages, embedded };
}

/** Returns the chunk that a cursor's key names; undefined for the first page. */
function positionOf(key: string): { ordinal: number; id: string } | undefined {
  if (key === "") return undefined;
  const [, ordinal, id] = /^(\d{1,9})\.(\d{1,18})$/.exec(key) ?? [];
  if (ordinal === undefined || id === undefined) throw notOfAListing();
  return { ordinal: Number(ordinal), id };
}
