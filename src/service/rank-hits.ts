import { sessionPath, wholeSessionKey } from "../agents/session-key.ts";
import { type AgentTransaction, withAgentTransaction } from "../db/agent/agent-transaction.ts";
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
import type { SearchHit, SessionOfHit } from "./search-memory.ts";

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
  /** Numbers of the sources that are searched. */
  sources: readonly number[];
  mode: SearchMode;
  maxResults: number;
  minScore: number;
}

/** At most this many files are moved to the front because the query names them. */
const MAX_NAMED_FILES = 3;

/**
 * From the arms' candidates to the hits of the answer: the true cosine of keyword-only candidates is fetched, then fusion,
 * floor, files that the query names first, texts for what is left. One transaction, four statements, and one more each time
 * that equal texts, which are shown once, leave fewer hits than were asked for.
 *
 * @returns `crowded` when that is still so with every candidate
 */
export async function rankHits(
  deps: Deps,
  request: RankRequest,
  arms: ArmResults,
): Promise<{ hits: SearchHit[]; crowded: boolean }> {
  const { agent, generation } = request;
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const candidates = await joinArms(tx, request, arms);
    const fused = fuse(candidates, request.mode, agent.settings.query.hybrid);
    const passing = applyFloor(fused, request.minScore);
    const names = request.sources.includes(SOURCE_NUMBER.memory) ? namedFiles(request.query) : [];
    const named = await filesNamed(tx, agent.schema, names, MAX_NAMED_FILES);
    const opening = await firstChunks(
      tx,
      agent.schema,
      generation.id,
      named.map((file) => file.id),
    );
    const paths = new Set(named.map((file) => file.path));
    const texts = new Map<string, ChunkHit>();
    let shown: { hit: FusedHit; chunk: ChunkHit }[] = [];
    for (let taken = request.maxResults * 2; ; taken *= 4) {
      const wanted = new Set([
        ...opening.map((chunk) => chunk.id),
        ...passing.slice(0, taken).map((hit) => hit.chunkId),
      ]);
      const unread = [...wanted].filter((id) => !texts.has(id));
      for (const chunk of await readChunks(tx, agent.schema, generation.id, unread, sessionPath))
        texts.set(chunk.id, chunk);
      shown = distinct(namedFirst(passing, opening, texts, paths), texts).slice(0, request.maxResults);
      if (shown.length === request.maxResults || taken >= passing.length) break;
    }
    return {
      hits: shown.map(({ hit, chunk }) => describeHit(request, hit, chunk)),
      crowded: shown.length < Math.min(request.maxResults, passing.length),
    };
  });
}

/** The candidates of both arms, each once, with the true cosine of those that only the keyword arm found. */
async function joinArms(
  tx: AgentTransaction,
  { agent, generation, mode }: RankRequest,
  arms: ArmResults,
): Promise<Candidate[]> {
  const candidates = new Map<string, Candidate>();
  if (mode !== "vector")
    for (const { chunkId, score } of arms.keyword) candidates.set(chunkId, { chunkId, bm25: score });
  const found = new Map(arms.similar.map(({ chunkId, similarity }) => [chunkId, similarity]));
  if (arms.queryVector !== undefined && generation.dimensions !== null) {
    const table = { schema: agent.schema, generationId: generation.id, dimensions: generation.dimensions };
    const unknown = [...candidates.keys()].filter((chunkId) => !found.has(chunkId));
    for (const [chunkId, similarity] of await similarities(tx, table, arms.queryVector, unknown))
      found.set(chunkId, similarity);
  }
  for (const [chunkId, similarity] of found)
    candidates.set(chunkId, { ...candidates.get(chunkId), chunkId, similarity });
  return [...candidates.values()];
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
    ...(chunk.session ? { session: describeSession(agent.agentId, chunk.session) } : {}),
  };
}

function describeSession(agentId: string, session: NonNullable<ChunkHit["session"]>): SessionOfHit {
  return {
    key: wholeSessionKey(agentId, session.key),
    messages: { from: session.firstMessage, to: session.lastMessage },
    roles: session.roles,
    from: session.from.toISOString(),
    to: session.to.toISOString(),
  };
}

/** A path may be longer than a snippet; then the line is left to `citation`. */
function withSource(text: string, sourceLine: string): string {
  return sourceLine.length <= 300 ? text + sourceLine : text;
}
