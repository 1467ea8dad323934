import { DAY_MS } from "../../base/clock.ts";
import { shareOfWords, versionsWith } from "../../db/agent/candidates/version-search.ts";
import { isComparable } from "../../db/agent/chunks/search-filter.ts";
import { type AgentReads, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { answeringSnippet, type Sought } from "../../relevance/snippets/answering-snippet.ts";
import { citation, MAX_SNIPPET_CHARS } from "../../relevance/snippets/snippet.ts";
import { questionWords } from "../../relevance/words/question-words.ts";
import { isOvershadowed } from "../../settings/shared-paths.ts";
import { type KnownAgent, sharersOf } from "../core/known-agent.ts";
import { timeLimit } from "../core/time-limit.ts";
import type { PlannedSearch } from "./run-search.ts";
import type { SearchDeps } from "./search-deps.ts";
import { isLate } from "./search-limits.ts";
import type { SearchHit } from "./search-schemas.ts";

/**
 * The most file versions, and their bytes, that a search at an earlier time reads. Versions that
 * have ended are in no index.
 */
const MOST = { versions: 500, bytes: 4_000_000 };
const MAX_WORDS = 16;
/**
 * The least share of the question's words that a hit must have, unless the search sets `minScore`.
 */
const LEAST_SHARE = 0.5;
const NOT_SEARCHED =
  "The earlier versions of texts that have changed since then were not searched, because that took too long; name a folder in `paths`, or fewer patterns.";

/**
 * Finds passages in file versions that were current at `asOf` and have been replaced or deleted
 * since. Only words count: the score of a passage is the share of the question's words that it has.
 * `note` says what such a search leaves out.
 */
export async function searchVersions(
  deps: SearchDeps,
  { agent, generation, query, sources, filter, minScore, maxResults }: PlannedSearch,
  asOf: Date,
  shown: { sought: Sought; includeText: boolean; cites: boolean },
): Promise<{ hits: SearchHit[]; note: string }> {
  if (!sources.includes(SOURCE_NUMBER.memory)) return { hits: [], note: "" };
  const all = questionWords(query);
  const telling = all.filter(({ says }) => says === 1);
  const words = (telling.length > 0 ? telling : all).slice(0, MAX_WORDS).map(({ word }) => word);
  const question = { at: asOf, words: words.length > 0 ? words : [query], language: generation.language, filter };
  const found = await withinLimit(deps, agent, async (tx) => {
    const index = { schema: agent.schema, generationId: generation.id, chunkCount: 0 };
    return (await isComparable(tx, index, filter)) ? versionsWith(tx, agent.schema, question, MOST) : undefined;
  });
  if (!found) return { hits: [], note: NOT_SEARCHED };
  const versions = found.versions.filter(({ path }) => !isOvershadowed(path, sharersOf(agent)));
  const { chunkTokens: tokens, chunkOverlap: overlap, chunkHeadings: headings } = generation;
  const cutting = versions.map(async ({ version, path, content, day, mtime }) => {
    const { chunks } = await deps.preparer.prepare(agent.tenantId, { content, path, tokens, overlap, headings });
    return chunks.map((chunk) => ({ ...chunk, version, path, day, mtime }));
  });
  const passages = (await Promise.all(cutting)).flat();
  const texts = passages.map(({ text }) => text);
  const shares = await withinLimit(deps, agent, (tx) => shareOfWords(tx, texts, question));
  if (!shares) return { hits: [], note: NOT_SEARCHED };
  const least = typeof minScore === "number" ? minScore : LEAST_SHARE;
  const hits = passages
    .map((passage, at) => ({ ...passage, score: shares[at] ?? 0 }))
    .filter(({ score }) => score > 0 && score >= least)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxResults)
    .map(({ path, startLine, endLine, text, score, version, day, mtime }): SearchHit => {
      const place = citation(path, startLine, endLine);
      const sourceLine = shown.cites ? `\n\nSource: ${place}` : "";
      return {
        path,
        startLine,
        endLine,
        score,
        date: day ?? mtime.toISOString(),
        textScore: score,
        version,
        source: "memory",
        snippet:
          answeringSnippet({ text, found: text }, shown.sought, MAX_SNIPPET_CHARS - sourceLine.length) + sourceLine,
        ...(shown.includeText ? { text } : {}),
        ...(shown.cites ? { citation: place } : {}),
      };
    });
  const kept = agent.settings.history.retentionDays;
  const isOlder = asOf.getTime() < deps.clock().getTime() - kept * DAY_MS;
  const notes = [
    "Texts that have changed since then were searched by words only; their hits have a version.",
    ...(found.cut ? ["Too many texts have changed to search all of them; name paths."] : []),
    ...(isOlder ? [`Texts that were changed or deleted more than ${kept} days ago may be missing.`] : []),
  ];
  return { hits, note: notes.join(" ") };
}

/** Reads within the time limit of a search. Returns undefined if a statement met the limit. */
async function withinLimit<T>(
  deps: SearchDeps,
  agent: KnownAgent,
  read: (tx: AgentReads) => Promise<T>,
): Promise<T | undefined> {
  return withAgentReads(deps.db, agent, read, [timeLimit(deps.searchTimeoutMs)]).catch((error: unknown) => {
    if (isLate(error)) return undefined;
    throw error;
  });
}

/** Merges the hits of both searches, best first. */
export function mergePast<T extends SearchHit>(
  hits: readonly T[],
  past: readonly SearchHit[],
  most: number,
): (T | SearchHit)[] {
  return [...hits, ...past].sort((a, b) => b.score - a.score).slice(0, most);
}
