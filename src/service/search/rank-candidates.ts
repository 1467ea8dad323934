import { sessionPath } from "../../agents/memory-path.ts";
import { type ChunkHit, firstChunks, type MessageAround, readChunks } from "../../db/agent/chunks/chunks.ts";
import { isFiltered } from "../../db/agent/chunks/search-filter.ts";
import { filesNamed } from "../../db/agent/files/files.ts";
import type { KeywordHit } from "../../db/agent/keyword/bm25.ts";
import type { CountedTerms } from "../../db/agent/keyword/keyword-terms.ts";
import { type CandidateRow, candidateDetails } from "../../db/agent/search/candidate-details.ts";
import { keywordScores, termRarities } from "../../db/agent/search/keyword-search.ts";
import { cosineBackground } from "../../db/agent/search/vector-search.ts";
import { noteDeleted } from "../../db/agent/segments/segments.ts";
import type { AgentReads } from "../../db/agent/space/agent-transaction.ts";
import { SOURCE_NUMBER } from "../../db/agent/space/source-number.ts";
import { readsScript } from "../../embeddings/model-input.ts";
import { type Background, matchedIdf } from "../../search/ranking/evidence.ts";
import type { Candidate, SearchMode } from "../../search/ranking/fuse.ts";
import { type Floor, type Ranked, type Ranking, rank } from "../../search/ranking/rank.ts";
import { type Refined, refine } from "../../search/ranking/refine.ts";
import { sensitivityOf } from "../../search/ranking/sensitivity.ts";
import { namedDates, namedFiles } from "../../search/words/query-names.ts";
import { scriptOf } from "../../search/words/text-language.ts";
import { inPhase } from "../embedding/search-phase.ts";
import { rerankPool } from "./rerank-pool.ts";
import type { ArmResults, SearchPlan } from "./search-arms.ts";
import type { SearchDeps } from "./search-deps.ts";

export interface RankRequest extends SearchPlan {
  mode: SearchMode;
  maxResults: number;
  minScore: number | Floor;
}

/** A hit as it is shown: a chunk, or several that stand next to each other. */
export interface ShownHit {
  hit: Refined;
  /** The chunk that the hit is, or the best of those that it joins, with the messages of all of these. */
  chunk: ChunkHit;
}

export interface RankedSearch {
  shown: ShownHit[];
  /** How they were ranked, for explain. */
  ranking: Ranking;
  details: ReadonlyMap<string, CandidateRow>;
  /** Whether the passing of time may change the answer: a fact begins, ends or expires. */
  isTimed: boolean;
  /** Whether duplicates left fewer hits than requested. */
  crowded: boolean;
  warning?: string;
}

type NamedFile = { path: string; firstChunkId: string | undefined };

/** At most this many files are moved to the front because the query names them. */
const MAX_NAMED_FILES = 3;
/** Later steps drop or join hits, so they need more than are shown. */
const POOL_FACTOR = 2;
/** Cosines of questions with chunks vary a fifth less than those of chunks with each other. */
const QUESTION_DEVIATION = 0.8;
/** Fewer chunks say nothing about scores by chance. */
const LEAST_CHUNKS = 8;

/** The ranked candidates, with the chunks of the best. */
interface RankedCandidates {
  ranking: Ranking;
  details: ReadonlyMap<string, CandidateRow>;
  /** The best candidates, from which the answer is made. */
  pool: readonly Ranked[];
  /** Their chunks, by id. */
  chunks: ReadonlyMap<string, ChunkHit>;
}

/**
 * Ranks the candidates with at most four statements in two round trips: the details of all candidates with their exact
 * cosine, the exact BM25 of those that only the vector arm found, and a sample of cosines for adaptive fusion; then the
 * texts of the best.
 *
 * @returns undefined when the unchecked keyword arm has found deleted chunks and must run again with checks
 */
export function rankCandidates(
  deps: SearchDeps,
  tx: AgentReads,
  request: RankRequest,
  arms: ArmResults,
  named: readonly NamedFile[],
): Promise<RankedCandidates | undefined> {
  const { agent, sources, mode, minScore } = request;
  const { hybrid: settings, deduplicate } = agent.settings.query;
  const index = { schema: agent.schema, generationId: request.generation.id };
  return inPhase(deps, "fuse", async () => {
    const [details, scores, background] = await Promise.all([
      readDetails(tx, request, arms, named),
      readScores(tx, request, arms),
      readBackground(tx, request, arms),
    ]);
    const gone = arms.keyword.flatMap(({ chunkId }) => (details.has(chunkId) ? [] : [chunkId]));
    const isNews = noteDeleted(deps.segmentCache, arms.counted?.segments ?? [], gone);
    if (isNews && request.unchecked) return undefined;
    const candidates = joinArms(arms, scores, details, mode).filter(({ chunkId }) => details.get(chunkId)?.holds);
    const now = request.visibleFacts.at ?? deps.clock();
    const { halfLives } = agent.settings.facts;
    const dates = request.isMessage ? [] : namedDates(request.query);
    const asked = { mode, minScore, settings, background, deduplicate, named, dates, now, halfLives };
    const ranking = rank(candidates, details, asked);
    const pool = ranking.ranked.slice(0, poolSize(request));
    const ids = pool.map((hit) => hit.chunkId);
    const texts = await readChunks(tx, index, ids, { sources, sessionPath });
    return { ranking, details, pool, chunks: new Map(texts.map((chunk) => [chunk.id, chunk])) };
  });
}

/** Makes the hits of the answer from the best candidates. No transaction is open, since a reranker may be called. */
export async function refineHits(
  deps: SearchDeps,
  { agent, query, maxResults }: RankRequest,
  { ranking, details, pool, chunks }: RankedCandidates,
): Promise<RankedSearch> {
  const { mergeNeighbours, deduplicate, hybrid } = agent.settings.query;
  const placed = pool.flatMap((hit) => withText(hit, chunks));
  const { scores, warning } = await rerankPool(deps, agent, query, placed);
  const hits = refine(placed, scores, { maxResults, mmr: hybrid.mmr, mergeNeighbours, deduplicate });
  const dropped = [...ranking.leftOut.values()].some((left) => left.stage === "duplicate");
  return {
    shown: hits.flatMap((hit) => {
      const chunk = chunks.get(hit.chunkId);
      return chunk ? [{ hit, chunk: { ...chunk, session: sessionOf(hit, chunk, chunks) } }] : [];
    }),
    ranking,
    details,
    crowded: dropped && hits.length < maxResults,
    isTimed: [...details.values()].some((row) => row.isTimed),
    ...(warning === undefined ? {} : { warning }),
  };
}

function poolSize({ agent, maxResults }: RankRequest): number {
  const { rerank, hybrid } = agent.settings.query;
  const reranked = rerank.provider === "none" ? 0 : rerank.candidates;
  const diverse = hybrid.mmr.enabled ? maxResults * hybrid.candidateMultiplier : 0;
  return Math.max(maxResults * POOL_FACTOR, reranked, diverse);
}

/** The files that the query names, unless the search has a filter, which is the stronger wish. */
export async function findNamed(tx: AgentReads, request: RankRequest): Promise<NamedFile[]> {
  const { agent, generation, filter, sources, query } = request;
  if (!agent.settings.query.namedFiles) return [];
  const names =
    isFiltered({ ...filter, believed: undefined }) || !sources.includes(SOURCE_NUMBER.memory) ? [] : namedFiles(query);
  const files = await filesNamed(tx, agent.schema, names, MAX_NAMED_FILES);
  const ids = files.map((file) => file.id);
  const opening = await firstChunks(tx, agent.schema, generation.id, ids);
  const firstOf = new Map(opening.map((chunk) => [chunk.fileId, chunk.id]));
  return files.map(({ id, path }) => ({ path, firstChunkId: firstOf.get(id) }));
}

async function readDetails(
  tx: AgentReads,
  { agent, generation, sources, visibleFacts }: RankRequest,
  arms: ArmResults,
  named: readonly NamedFile[],
): Promise<Map<string, CandidateRow>> {
  const ids = new Set([
    ...arms.keyword.map((one) => one.chunkId),
    ...arms.similar.map((one) => one.chunkId),
    ...named.flatMap((file) => file.firstChunkId ?? []),
  ]);
  const index = { schema: agent.schema, generationId: generation.id, dimensions: generation.dimensions };
  const of = { queryVector: arms.queryVector, sources, sessionPath, facts: visibleFacts };
  const rows = await candidateDetails(tx, index, [...ids], of);
  // A segment records the source that a chunk had when it was packed, so the source is checked again.
  return new Map(rows.flatMap((row) => (sources.includes(row.source) ? [[row.id, row]] : [])));
}

/**
 * Scores by chance in this index; undefined when it has too few chunks for anything to stand out. It concerns the whole
 * index, whatever sources and paths are searched, and so does a hit's score.
 */
async function readBackground(
  tx: AgentReads,
  { agent, generation, query }: RankRequest,
  { queryVector, counted, background: seen }: ArmResults,
): Promise<Background | undefined> {
  const { id: generationId, dimensions, cosineDeviation, separation } = generation;
  const counting = counted?.stats.chunks ?? generation.statsChunkCount ?? 0;
  const sampled =
    queryVector === undefined || dimensions === null
      ? undefined
      : (seen ??
        (await cosineBackground(tx, { schema: agent.schema, generationId, dimensions }, queryVector, counting)));
  const chunks = Math.max(counting, sampled?.count ?? 0);
  if (chunks < LEAST_CHUNKS) return undefined;
  const { wanted, overlapping } = counted ? askedFor(counted) : { wanted: 0, overlapping: 0 };
  const isTold = sampled && sampled.count >= LEAST_CHUNKS;
  // Until the job has measured the index, the deviation of this question's sample is used.
  const deviation = cosineDeviation === null ? sampled?.deviation : QUESTION_DEVIATION * cosineDeviation;
  if (!isTold || deviation === undefined) return { chunks, wanted, overlapping, cosines: undefined };
  const sensitivity = sensitivityOf(separation ?? {}, scriptOf(query), (script) => readsScript(generation, script));
  return { chunks, wanted, overlapping, cosines: { mean: sampled.mean, deviation, sensitivity } };
}

/**
 * The idf of all terms of a query, and the share of parts in it. In a text without spaces some pairs of characters cross
 * word borders and occur nowhere, so a missing pair says nothing. (If they counted by half, Korean notes would lose 0.04
 * nDCG@10.)
 */
function askedFor(counted: CountedTerms): { wanted: number; overlapping: number } {
  const rarities = termRarities(counted);
  const idfOf = (isAsked: (term: CountedTerms["terms"][number]) => boolean) =>
    matchedIdf(rarities, counted.terms.map(isAsked));
  const wanted = idfOf(({ isPart, df }) => !isPart || df > 0);
  const parts = idfOf(({ isPart, df }) => isPart && df > 0);
  return { wanted, overlapping: wanted > 0 ? parts / wanted : 0 };
}

/**
 * The hits of the keyword arm, and the keyword scores of chunks that only the vector arm found: a chunk outside the best
 * may still have a score.
 */
async function readScores(
  tx: AgentReads,
  { agent, generation, mode }: RankRequest,
  { keyword, similar, counted }: ArmResults,
): Promise<readonly KeywordHit[]> {
  if (mode !== "hybrid" || !counted) return keyword;
  const known = new Set(keyword.map((one) => one.chunkId));
  const others = similar.flatMap(({ chunkId }) => (known.has(chunkId) ? [] : [chunkId]));
  const index = { schema: agent.schema, generationId: generation.id };
  return [...keyword, ...(await keywordScores(tx, index, counted, others))];
}

/** The candidates of both arms, each once, with both scores. */
function joinArms(
  arms: ArmResults,
  scores: readonly KeywordHit[],
  details: ReadonlyMap<string, CandidateRow>,
  mode: SearchMode,
): Candidate[] {
  const candidates = new Map<string, Candidate>();
  const rarities = arms.counted ? termRarities(arms.counted) : [];
  if (mode !== "vector")
    for (const { chunkId, score, found } of scores)
      candidates.set(chunkId, { chunkId, bm25: score, matched: matchedIdf(rarities, found) });
  for (const { chunkId } of arms.similar) if (!candidates.has(chunkId)) candidates.set(chunkId, { chunkId });
  for (const candidate of candidates.values()) {
    const similarity = details.get(candidate.chunkId)?.similarity;
    if (typeof similarity === "number") candidate.similarity = similarity;
  }
  return [...candidates.values()];
}

function withText(hit: Ranked, chunks: ReadonlyMap<string, ChunkHit>): (Ranked & ChunkHit)[] {
  const chunk = chunks.get(hit.chunkId);
  return chunk ? [{ ...chunk, ...hit }] : [];
}

/** The speakers and times of a hit, over all windows within its lines. */
function sessionOf(hit: Refined, chunk: ChunkHit, chunks: ReadonlyMap<string, ChunkHit>): ChunkHit["session"] {
  if (!chunk.session) return null;
  const grown = chunk.around?.filter(
    ({ firstLine, lineCount }) => firstLine >= hit.startLine && firstLine + lineCount - 1 <= hit.endLine,
  );
  if (grown?.length && hit.text !== chunk.text) return sessionOfMessages(chunk.session.key, grown);
  const inside = [...chunks.values()].flatMap(({ path, startLine, endLine, session }) =>
    path === hit.path && startLine >= hit.startLine && endLine <= hit.endLine ? (session ?? []) : [],
  );
  return inside.reduce(
    (whole, { firstMessage, lastMessage, roles, from, to }) => ({
      key: whole.key,
      firstMessage: Math.min(whole.firstMessage, firstMessage),
      lastMessage: Math.max(whole.lastMessage, lastMessage),
      roles: [...new Set([...whole.roles, ...roles])].sort(),
      from: whole.from < from ? whole.from : from,
      to: whole.to > to ? whole.to : to,
    }),
    chunk.session,
  );
}

function sessionOfMessages(key: string, messages: readonly MessageAround[]): NonNullable<ChunkHit["session"]> {
  const seqs = messages.map(({ seq }) => seq);
  const times = messages.map(({ at }) => at.getTime());
  return {
    key,
    firstMessage: Math.min(...seqs),
    lastMessage: Math.max(...seqs),
    roles: [...new Set(messages.map(({ role }) => role))].sort(),
    from: new Date(Math.min(...times)),
    to: new Date(Math.max(...times)),
  };
}
