import type { CandidateRow } from "../../db/agent/candidates/candidate-details.ts";
import { type CandidateGroup, rankTogether } from "../../relevance/ranking/rank.ts";
import { isInFolders, sharedPrefix } from "../../settings/shared-paths.ts";
import { asOneIndex, backgroundOf, rescored } from "./background.ts";
import {
  type FoundChunk,
  factsIn,
  MAX_NAMED_FILES,
  type MemoryCandidates,
  orderingOf,
  poolSize,
  type RankedCandidates,
  type RankRequest,
} from "./rank-candidates.ts";
import { NO_SUCCESSORS } from "./read-successors.ts";
import { type ArmResults, nothingBy } from "./search-arms.ts";
import type { SearchDeps } from "./search-deps.ts";

/** The result of the search of one memory. */
export interface SearchedMemory {
  request: RankRequest;
  arms: ArmResults;
  found: MemoryCandidates;
}

/** Returns an empty result for a memory, which carries only the warnings. */
export function nothingFoundIn(request: RankRequest, warnings: readonly string[]): SearchedMemory {
  const none = {
    details: new Map(),
    chunks: new Map(),
    pool: [],
    successors: NO_SUCCESSORS,
    candidates: [],
    named: [],
  };
  return {
    request,
    arms: nothingBy(undefined, warnings),
    found: {
      ...none,
      ranking: { ranked: [], leftOut: new Map(), spareFacts: [] },
      measured: { chunks: 0, counted: undefined, cosines: undefined },
    },
  };
}

/**
 * Returns the agent that shares the searched memory; undefined if the memory is the reader's own.
 */
export function sharerOf({ agent, reader }: RankRequest): string | undefined {
  return reader === undefined ? undefined : agent.agentId;
}

/** Returns the prefix of a memory's ids and paths in the joined list of all memories. */
function prefixOf(request: RankRequest): string {
  const sharedBy = sharerOf(request);
  return sharedBy === undefined ? "" : sharedPrefix(sharedBy);
}

/**
 * Joins the candidates of several memories to one list, scored as if their indexes were one. Each
 * memory contributes its best candidates, whose texts have been read. Prefixes of ids and paths
 * name the memory.
 *
 * @param request the request of the agent that searches
 */
export function joinMemories(
  deps: SearchDeps,
  request: RankRequest,
  memories: readonly SearchedMemory[],
): RankedCandidates {
  const all = memories.map(asShown);
  const details = new Map(all.flatMap((one) => [...one.details]));
  const chunks = new Map(all.flatMap((one) => [...one.chunks]));
  const named = all.flatMap((one) => one.named).slice(0, MAX_NAMED_FILES);
  const ranking = rankTogether(groupsOf(request, memories, chunks), details, orderingOf(deps, request, named));
  // Facts are not shared, so all successors are of the agent's own memory, whose ids have no prefix.
  const successors = {
    endedBy: new Map(memories.flatMap(({ found }) => [...found.successors.endedBy])),
    isTimed: memories.some(({ found }) => found.successors.isTimed),
  };
  return { ranking, details, chunks, successors, pool: ranking.ranked.slice(0, poolSize(request)) };
}

/** Returns the candidates of one memory with prefixed ids and paths. */
function asShown({ request, found: { details, chunks, named } }: SearchedMemory) {
  const { filter } = request;
  // The SQL already selects only the shared folders. This check makes sure that no other file is
  // shown, even if a statement is wrong.
  const isShared = ({ path }: { path: string }) => isInFolders(path, filter.folders ?? []);
  const prefix = prefixOf(request);
  const id = (chunkId: string) => prefix + chunkId;
  const sharedBy = sharerOf(request);
  const by = sharedBy === undefined ? {} : { sharedBy };
  return {
    details: [...details].flatMap(([key, row]): [string, CandidateRow][] =>
      isShared(row) ? [[id(key), { ...row, path: prefix + row.path }]] : [],
    ),
    chunks: [...chunks].map(([key, chunk]): [string, FoundChunk] => [
      id(key),
      { ...chunk, ...by, id: id(key), path: prefix + chunk.path },
    ]),
    named: named.map(({ path, firstChunkId }) => ({
      path: prefix + path,
      firstChunkId: firstChunkId === undefined ? undefined : id(firstChunkId),
    })),
  };
}

/**
 * Groups the candidates, each group with the background that its scores are measured against. Some
 * scores only compare hits with each other, so all candidates must be in one group: the scores of
 * weighted or rank fusion, and the scores in indexes that even together are too small for a
 * background.
 */
function groupsOf(
  { agent, mode }: RankRequest,
  memories: readonly SearchedMemory[],
  chunks: ReadonlyMap<string, FoundChunk>,
): CandidateGroup[] {
  const together = asOneIndex(
    memories.map(({ request: { generation }, found }) => ({ ...found.measured, model: modelOf(generation) })),
  );
  const groups = memories.map(({ request, found: { candidates, measured } }, index): CandidateGroup => {
    const counted = together[index]?.counted;
    return {
      candidates: candidates.flatMap((candidate) => {
        const chunkId = prefixOf(request) + candidate.chunkId;
        return chunks.has(chunkId) ? [{ ...rescored(candidate, measured.counted, counted), chunkId }] : [];
      }),
      mode: request.mode,
      facts: factsIn(request),
      background: together[index] && backgroundOf(together[index]),
    };
  });
  const haveBackground = groups.every((group) => group.background);
  const standAlone = agent.settings.query.hybrid.fusion === "adaptive" && haveBackground;
  if (standAlone) return groups;
  const background = haveBackground ? groups[0]?.background : undefined;
  const candidates = groups.flatMap((group) => group.candidates);
  return [{ candidates, mode, background }];
}

function modelOf({ provider, model, endpoint, dimensions }: RankRequest["generation"]): string {
  return JSON.stringify([provider, model, endpoint, dimensions]);
}
