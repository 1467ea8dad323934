import type { MissedChunk, MissedDocument } from "recollect/client";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";

/** The steps of a search, from the last one to the first. */
const FURTHEST = ["shown", "joined", "limit", "duplicate", "floor", "candidates", "excluded"] as const;

/** Says in a sentence why a document is not found, and offers what would help. */
export function Verdict({ missed: { found, indexed, chunks } }: { missed: MissedDocument }) {
  const { change } = useViewAddress();
  if (!found) return <p>{texts.search.noPath}</p>;
  if (!indexed) return <p>{texts.search.notIndexed}</p>;
  const best = furthest(chunks);
  if (!best) return <p>{texts.search.notIndexed}</p>;
  const { stage, reason } = best;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-lg">{texts.missing.verdicts[stage](String(Math.min(...ranksOf(best))))}</p>
      <p className="text-sm text-fg-2">{reason}</p>
      <div className="flex flex-wrap gap-2">
        {(stage === "shown" || stage === "joined") && (
          <Button onClick={() => change({ mode: undefined })}>{texts.missing.showResults}</Button>
        )}
        {stage === "limit" && (
          <Button onClick={() => change({ mode: undefined, maxResults: "20" })}>{texts.missing.showMore}</Button>
        )}
        {stage === "floor" && (
          <Button onClick={() => change({ mode: undefined, minScore: "0.05" })}>{texts.missing.lowerFloor}</Button>
        )}
        {stage === "excluded" && (
          <Button
            onClick={() =>
              change({
                corpus: undefined,
                after: undefined,
                before: undefined,
                paths: undefined,
                user: undefined,
                asof: undefined,
              })
            }
          >
            {texts.memories.clearFilters}
          </Button>
        )}
      </div>
    </div>
  );
}

function furthest(chunks: readonly MissedChunk[]): MissedChunk | undefined {
  for (const stage of FURTHEST) {
    const inStage = chunks.filter((chunk) => chunk.stage === stage);
    if (inStage.length > 0)
      return inStage.reduce((best, one) => (Math.min(...ranksOf(one)) < Math.min(...ranksOf(best)) ? one : best));
  }
  return undefined;
}

function ranksOf({ keyword, vector }: MissedChunk): number[] {
  const ranks = [keyword?.rank, vector?.rank].filter((rank) => rank !== undefined);
  return ranks.length > 0 ? ranks : [Number.POSITIVE_INFINITY];
}
