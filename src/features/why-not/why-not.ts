import { candidateDetails } from "../../db/agent/candidates/candidate-details.ts";
import { keywordScores } from "../../db/agent/candidates/keyword-search.ts";
import { type ChunkOfPath, chunksOfPath } from "../../db/agent/chunks/chunks-of-path.ts";
import { isFiltered } from "../../db/agent/chunks/search-filter.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { findMemory } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { cutRequest } from "../../service/search/cut-request.ts";
import { placeOf, withPlace } from "../../service/search/describe-hit.ts";
import type { RankedSearch, RankRequest } from "../../service/search/rank-candidates.ts";
import {
  planSearch,
  runSearch,
  searchedGeneration,
  searchWithDeadline,
  sourcesOf,
} from "../../service/search/run-search.ts";
import type { ArmResults } from "../../service/search/search-arms.ts";
import type { SearchDeps } from "../../service/search/search-deps.ts";
import type { ArmPlace, SearchInput } from "../../service/search/search-schemas.ts";
import { patternsOf } from "../../service/search/shown-path.ts";
import { foldersOf } from "../../settings/extra-paths.ts";
import { factOfPath, sessionOfPath, sessionPath } from "../../settings/memory-path.ts";

/** The step of the search at which a chunk was left out. */
type Stage = "shown" | "joined" | "limit" | "duplicate" | "floor" | "candidates" | "excluded";

interface ChunkVerdict {
  startLine: number;
  endLine: number;
  stage: Stage;
  /** The reason, as a sentence for people. */
  reason: string;
  /**
   * The chunk's place in the arm. It has no `rank` if the chunk was not among the arm's candidates.
   */
  keyword?: Partial<ArmPlace>;
  vector?: Partial<ArmPlace>;
}

export interface WhyNot {
  path: string;
  /**
   * Whether the agent's memory has such a file, session or fact that the search's `scope` may see.
   */
  found: boolean;
  /** Whether any of it is indexed. It is not if it has no text or is not indexed yet. */
  indexed: boolean;
  /** The verdicts in the order of the document, at most a hundred. */
  chunks: ChunkVerdict[];
  /**
   * The warnings of the search, such as that an arm took too long. The verdicts are then only about
   * the part that was searched.
   */
  warning?: string;
}

/** A finished search with everything that the verdicts need. */
interface Seen {
  request: RankRequest;
  arms: ArmResults;
  ranked: RankedSearch;
  /**
   * The BM25 scores of the path's chunks, including chunks that are no candidates. `cosine` has
   * their cosines.
   */
  bm25: ReadonlyMap<string, number>;
  cosine: ReadonlyMap<string, number>;
  /** The chunks of facts that the search may not show. */
  hidden: ReadonlySet<string>;
}

const NOT_SEARCHED = "The search did not look into this source; see `corpus` and the setting `sources`.";
const OF_OTHER_DAYS =
  "The question asks for all texts of some days, or of a person on these days, and this text is not one of them.";
const OVER = "The fact has ended: another fact has replaced it, or it was ended.";
const HIDDEN = "The fact does not hold at this time.";

/**
 * Explains why a search does not show a file, session or fact. It runs the search and names, for
 * each chunk, the stage at which it was left out. It is a debugging aid and costs a search and two
 * transactions.
 *
 * @throws AppError as `searchMemory`
 */
export async function whyNot(
  deps: SearchDeps,
  caller: Caller,
  agentId: string,
  input: SearchInput & { path: string },
): Promise<WhyNot> {
  return searchWithDeadline(deps, (bounded) => explainMissing(bounded, caller, agentId, input));
}

async function explainMissing(
  deps: SearchDeps,
  caller: Caller,
  agentId: string,
  given: SearchInput & { path: string },
): Promise<WhyNot> {
  const { input: cut, warning: isCut } = cutRequest(given);
  const { agent, profile } = await findMemory(deps, caller, "search", agentId);
  // The search reads its paths so, too.
  const input = { ...cut, paths: cut.paths && patternsOf(cut.paths, foldersOf(profile.settings)) };
  const path = input.path.normalize("NFC");
  const nothing = { path, found: false, indexed: false, chunks: [] };
  if (!agent) return nothing;
  const { generation, available, speakers } = await searchedGeneration(deps, agent, input);
  if (!generation) return nothing;
  const { id: generationId, dimensions, halfVectors } = generation;
  const index = { schema: agent.schema, generationId, dimensions, halfVectors };
  const of = { path, sessionKey: sessionOfPath(path), factId: factOfPath(path), reader: input.scope };
  const { found, chunks } = await withAgentReads(deps.db, agent, (tx) => chunksOfPath(tx, index, of));
  const { sources } = sourcesOf(input.corpus, agent.settings, available);
  const searched = chunks.filter((chunk) => sources.includes(chunk.source));
  if (searched.length === 0) {
    const excluded = chunks.map((chunk) =>
      verdict(chunk, "excluded", chunk.source === SOURCE_NUMBER.pastFacts ? OVER : NOT_SEARCHED),
    );
    return { path, found, indexed: chunks.length > 0, chunks: excluded };
  }
  const { request, arms, ranked } = await runSearch(
    deps,
    caller,
    planSearch(agent, generation, { sources, speakers, now: deps.clock() }, input),
  );
  const ids = searched.map((chunk) => chunk.id);
  const own = await withAgentReads(deps.db, agent, async (tx) => ({
    keyword: arms.counted ? await keywordScores(tx, { ...index, filter: request.filter }, arms.counted, ids) : [],
    details: await candidateDetails(tx, index, ids, {
      queryVector: arms.queryVector,
      compared: ids,
      sources,
      sessionPath,
      facts: request.visibleFacts,
    }),
  }));
  const bm25 = new Map(own.keyword.map((one) => [one.chunkId, one.score]));
  const cosine = new Map(
    own.details.flatMap(({ id, similarity }) => (similarity === null ? [] : [[id, similarity] as const])),
  );
  const hidden = new Set(own.details.flatMap(({ id, holds }) => (holds ? [] : [id])));
  const seen = { request, arms, ranked, bm25, cosine, hidden };
  const warning = [...new Set([isCut, ...arms.warnings, ranked.warning])].filter(Boolean).join(" ");
  const verdicts = searched.map((chunk) => judge(chunk, path, seen));
  return { path, found, indexed: true, chunks: verdicts, ...(warning ? { warning } : {}) };
}

function judge(chunk: ChunkOfPath, path: string, seen: Seen): ChunkVerdict {
  const { request, ranked } = seen;
  const places = placesOf(chunk, seen);
  if (seen.hidden.has(chunk.id)) return verdict(chunk, "excluded", HIDDEN, places);
  const shownAt = ranked.shown.findIndex(({ hit }) => hit.chunkId === chunk.id);
  if (shownAt >= 0) return verdict(chunk, "shown", `It is hit ${shownAt + 1}.`, places);
  const whole = ranked.shown.findIndex(
    ({ hit }) => hit.path === path && hit.startLine <= chunk.startLine && hit.endLine >= chunk.endLine,
  );
  if (whole >= 0) return verdict(chunk, "joined", `It is part of hit ${whole + 1}, which joins neighbours.`, places);
  const left = ranked.ranking.leftOut.get(chunk.id);
  if (left?.stage === "floor") {
    const reason = `Its score of ${left.score.toFixed(3)} is below minScore ${request.minScore}.`;
    return verdict(chunk, "floor", reason, places);
  }
  if (left?.stage === "duplicate") {
    const { of } = withPlace(left, ranked.details) as { of: string };
    return verdict(chunk, "duplicate", `Its text is that of ${of}, which comes before it.`, places);
  }
  if (ranked.ranking.isList && !ranked.ranking.ranked.some((hit) => hit.chunkId === chunk.id))
    return verdict(chunk, "excluded", OF_OTHER_DAYS, places);
  const rank = ranked.ranking.ranked.findIndex((hit) => hit.chunkId === chunk.id) + 1;
  if (rank > 0) return verdict(chunk, "limit", limitReason(rank, request), places);
  return verdict(chunk, "candidates", missedReason(chunk, seen), places);
}

/**
 * Returns the reason for a chunk that ranked but is not shown. Steps after ranking may move other
 * hits before it.
 */
function limitReason(rank: number, { agent, maxResults }: RankRequest): string {
  const { rerank, hybrid } = agent.settings.query;
  const later = [...(rerank.provider === "none" ? [] : ["the reranker"]), ...(hybrid.mmr.enabled ? ["MMR"] : [])];
  const moved = later.length > 0 && rank <= maxResults ? `, and ${later.join(" and ")} put others before it` : "";
  return `It ranks ${rank}${moved}; maxResults is ${maxResults}.`;
}

function placesOf({ id }: ChunkOfPath, { arms, bm25, cosine }: Seen): Pick<ChunkVerdict, "keyword" | "vector"> {
  const keyword = placeOf(arms.keyword, id, (one) => one.score) ?? scoreOnly(bm25.get(id));
  const vector = placeOf(arms.similar, id, (one) => one.similarity) ?? scoreOnly(cosine.get(id));
  return { ...(keyword ? { keyword } : {}), ...(vector ? { vector } : {}) };
}

function scoreOnly(score: number | undefined): { score: number } | undefined {
  return score === undefined ? undefined : { score };
}

function missedReason(chunk: ChunkOfPath, { request, arms, bm25, cosine }: Seen): string {
  if (isFiltered(request.filter) && !passes(chunk.id, bm25, arms))
    return "It does not pass the search's filter, or neither arm finds it.";
  const [own, last] = [bm25.get(chunk.id), arms.keyword.at(-1)?.score];
  const keyword =
    own === undefined
      ? "It has none of the query's words"
      : `Its keyword score of ${own.toFixed(2)} is not among the best ${request.limit} (the last has ${last?.toFixed(2)})`;
  if (arms.queryVector === undefined) return `${keyword}, and there was no vector arm.`;
  const similarity = cosine.get(chunk.id);
  if (similarity === undefined) return `${keyword}, and its embedding is still to be made.`;
  return `${keyword}, and its similarity of ${similarity.toFixed(3)} is not among the best ${request.limit} (the last has ${arms.similar.at(-1)?.similarity.toFixed(3)}).`;
}

function passes(chunkId: string, bm25: ReadonlyMap<string, number>, arms: ArmResults): boolean {
  return bm25.has(chunkId) || arms.similar.some((one) => one.chunkId === chunkId);
}

function verdict(
  { startLine, endLine }: ChunkOfPath,
  stage: Stage,
  reason: string,
  places: Pick<ChunkVerdict, "keyword" | "vector"> = {},
): ChunkVerdict {
  return { startLine, endLine, stage, reason, ...places };
}
