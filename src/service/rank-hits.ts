import { withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { type ChunkHit, firstChunks, readChunks, SOURCE_NUMBER } from "../db/agent/chunks.ts";
import { filesNamed } from "../db/agent/files.ts";
import type { Generation } from "../db/agent/generations.ts";
import { similarities } from "../db/agent/vectors.ts";
import { applyFloor } from "../search/apply-floor.ts";
import { citation } from "../search/citation.ts";
import { type Candidate, type FusedHit, fuse, type SearchMode } from "../search/fuse.ts";
import { namedFiles } from "../search/named-files.ts";
import { MAX_SNIPPET_CHARS, snippet } from "../search/snippet.ts";
import type { Deps } from "./deps.ts";
import type { KnownAgent } from "./find-agent.ts";
import type { SearchHit } from "./search-memory.ts";

export interface ArmResults {
  keyword: readonly { chunkId: string; score: number }[];
  similar: readonly { chunkId: string; similarity: number }[];
  /** undefined: there was no vector arm. */
  queryVector: string | undefined;
}

export interface RankRequest {
  agent: KnownAgent;
  generation: Generation;
  query: string;
  mode: SearchMode;
  maxResults: number;
  minScore: number;
}

/** At most this many files are moved to the front because the query names them. */
const MAX_NAMED_FILES = 3;

/**
 * From the arms' candidates to the hits of the answer: the true cosine of keyword-only candidates is fetched, then fusion,
 * floor, files that the query names first, texts for what is left. One transaction, at most four statements.
 */
export async function rankHits(deps: Deps, request: RankRequest, arms: ArmResults): Promise<SearchHit[]> {
  const { agent, generation } = request;
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const candidates = request.mode === "vector" ? new Map<string, Candidate>() : keywordOnes(arms);
    for (const { chunkId, similarity } of arms.similar)
      candidates.set(chunkId, { ...candidates.get(chunkId), chunkId, similarity });
    const unknown = [...candidates.values()]
      .filter((candidate) => candidate.similarity === undefined)
      .map((candidate) => candidate.chunkId);
    if (arms.queryVector !== undefined && generation.dimensions !== null) {
      const table = { schema: agent.schema, generationId: generation.id, dimensions: generation.dimensions };
      const known = await similarities(tx, table, arms.queryVector, unknown);
      for (const [chunkId, similarity] of known)
        candidates.set(chunkId, { ...candidates.get(chunkId), chunkId, similarity });
    }
    const fused = fuse([...candidates.values()], request.mode, agent.settings.query.hybrid);
    const passing = applyFloor(fused, request.minScore);
    const names = namedFiles(request.query);
    const named = await filesNamed(tx, agent.schema, names, MAX_NAMED_FILES);
    const opening = await firstChunks(
      tx,
      agent.schema,
      generation.id,
      named.map((file) => file.id),
    );
    // Twice as many texts as asked for, since equal texts are shown once.
    const wanted = [
      ...opening.map((chunk) => chunk.id),
      ...passing.slice(0, request.maxResults * 2).map((hit) => hit.chunkId),
    ];
    const texts = new Map(
      (await readChunks(tx, agent.schema, generation.id, [...new Set(wanted)])).map((chunk) => [chunk.id, chunk]),
    );
    const ordered = namedFirst(passing, opening, texts, new Set(named.map((file) => file.path)));
    return distinct(ordered, texts)
      .slice(0, request.maxResults)
      .map(({ hit, chunk }) => describeHit(request, hit, chunk));
  });
}

function keywordOnes(arms: ArmResults): Map<string, Candidate> {
  return new Map(arms.keyword.map(({ chunkId, score }) => [chunkId, { chunkId, bm25: score }]));
}

/** Puts the best hit of each named file first, or its opening chunk when none of its chunks was a hit. */
function namedFirst(
  hits: readonly FusedHit[],
  opening: readonly { id: string }[],
  texts: ReadonlyMap<string, ChunkHit>,
  paths: ReadonlySet<string>,
): FusedHit[] {
  const first: FusedHit[] = [];
  for (const path of paths) {
    const best = hits.find((hit) => texts.get(hit.chunkId)?.path === path);
    const start = opening.find((chunk) => texts.get(chunk.id)?.path === path);
    if (best) first.push({ ...best, score: 1 });
    else if (start) first.push({ chunkId: start.id, score: 1 });
  }
  const taken = new Set(first.map((hit) => hit.chunkId));
  return [...first, ...hits.filter((hit) => !taken.has(hit.chunkId))];
}

function distinct(
  hits: readonly FusedHit[],
  texts: ReadonlyMap<string, ChunkHit>,
): { hit: FusedHit; chunk: ChunkHit }[] {
  const seen = new Set<string>();
  return hits.flatMap((hit) => {
    const chunk = texts.get(hit.chunkId);
    if (!chunk || seen.has(chunk.text)) return [];
    seen.add(chunk.text);
    return [{ hit, chunk }];
  });
}

function describeHit({ agent, query }: RankRequest, hit: FusedHit, chunk: ChunkHit): SearchHit {
  const cited = agent.settings.citations !== "off";
  const place = citation(chunk.path, chunk.startLine, chunk.endLine);
  const sourceLine = cited ? `\n\nSource: ${place}` : "";
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  return {
    path: chunk.path,
    startLine: chunk.startLine,
    endLine: chunk.endLine,
    score: hit.score,
    ...(hit.vectorScore === undefined ? {} : { vectorScore: hit.vectorScore }),
    ...(hit.textScore === undefined ? {} : { textScore: hit.textScore }),
    snippet: withSource(
      snippet(chunk.text, [...new Set(words)].slice(0, 32), MAX_SNIPPET_CHARS - Math.min(sourceLine.length, 300)),
      sourceLine,
    ),
    source: chunk.source === SOURCE_NUMBER.sessions ? "sessions" : "memory",
    ...(cited ? { citation: place } : {}),
  };
}

/** A path may be longer than a snippet; then the line is left to `citation`. */
function withSource(text: string, sourceLine: string): string {
  return sourceLine.length <= 300 ? text + sourceLine : text;
}
