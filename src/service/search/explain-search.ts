import type { CandidateRow } from "../../db/agent/ranking/candidate-facts.ts";
import type { LeftOut } from "../../search/ranking/rank.ts";
import { citation } from "../../search/snippets/citation.ts";
import type { RankedSearch, RankRequest, ShownHit } from "./rank-hits.ts";
import type { ArmResults } from "./search-arms.ts";
import type { ArmPlace, HitExplanation, LeftOutEntry, SearchDebug } from "./search-types.ts";

/** Explains one hit. */
export function explainHit({ hit, chunk }: ShownHit, arms: ArmResults, { ranking }: RankedSearch): HitExplanation {
  const keyword = placeOf(arms.keyword, hit.chunkId, (one) => one.score);
  const vector = placeOf(arms.similar, hit.chunkId, (one) => one.similarity);
  return {
    ...(keyword ? { keyword } : {}),
    ...(vector ? { vector } : {}),
    ...(hit.textScore === undefined ? {} : { textScore: hit.textScore }),
    ...(hit.vectorScore === undefined ? {} : { vectorScore: hit.vectorScore }),
    evidence: hit.evidence,
    fusedScore: hit.fusedScore,
    decay: hit.decay,
    ...(hit.importance === undefined ? {} : { importance: hit.importance }),
    named: hit.named,
    ...(hit.rerankScore === undefined ? {} : { rerankScore: hit.rerankScore }),
    rankedAt: ranking.ranked.findIndex((one) => one.chunkId === hit.chunkId) + 1,
    joined: hit.startLine !== chunk.startLine || hit.endLine !== chunk.endLine,
  };
}

/** What the search as a whole did. */
export function explainSearch(request: RankRequest, arms: ArmResults, { details, ranking }: RankedSearch): SearchDebug {
  const { fusion, vectorWeight, textWeight } = request.agent.settings.query.hybrid;
  const entries = (list: readonly { chunkId: string; score: number }[]) =>
    list.flatMap(({ chunkId, score }) => {
      const known = details.get(chunkId);
      return known ? [{ ...lines(known), score }] : [];
    });
  return {
    fusion: {
      ...{ mode: request.mode, rule: fusion, vectorWeight, textWeight },
      ...(ranking.background ? { background: ranking.background } : {}),
    },
    minScore: request.minScore,
    limit: request.limit,
    arms: {
      keyword: entries(arms.keyword),
      vector: entries(arms.similar.map(({ chunkId, similarity }) => ({ chunkId, score: similarity }))),
    },
    leftOut: [...ranking.leftOut].flatMap(([chunkId, left]): LeftOutEntry[] => {
      const known = details.get(chunkId);
      return known ? [{ ...lines(known), ...withPlace(left, details) }] : [];
    }),
  };
}

/** Ids of chunks mean nothing outside. */
export function withPlace(left: LeftOut, details: ReadonlyMap<string, CandidateRow>): LeftOut {
  if (left.stage !== "duplicate") return left;
  const known = details.get(left.of);
  return { ...left, of: known ? citation(known.path, known.startLine, known.endLine) : "" };
}

function lines({ path, startLine, endLine }: CandidateRow) {
  return { path, startLine, endLine };
}

export function placeOf<T extends { chunkId: string }>(
  list: readonly T[],
  chunkId: string,
  score: (one: T) => number,
): ArmPlace | undefined {
  const index = list.findIndex((one) => one.chunkId === chunkId);
  const found = list[index];
  return found && { rank: index + 1, score: score(found) };
}
