import { useRef } from "react";
import type { SearchDebug, SearchHit } from "recollect/client";
import { score2 } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { useWidth } from "../../ui/use-width.ts";

const [BINS, HEIGHT] = [24, 64];

/** Shows the scores of all candidates: of the results, and of the candidates that the floor left out. */
export function ScoreHistogram({ hits, debug }: { hits: readonly SearchHit[]; debug: SearchDebug }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const left = debug.leftOut.flatMap((one) => (one.stage === "floor" ? [one.score] : []));
  const shown = hits.map(({ score }) => score);
  const floor = typeof debug.minScore === "number" ? debug.minScore : between(left, shown);
  const [out, kept] = [binned(left), binned(shown)];
  const most = Math.max(1, ...out, ...kept);
  const bar = width / BINS;
  return (
    <figure ref={box}>
      {width > 0 && (
        <svg
          role="img"
          aria-label={texts.search.scoresOf(shown.length, left.length)}
          width={width}
          height={HEIGHT + 4}
          className="block overflow-visible"
        >
          {out.map((value, at) => {
            const [low, high] = [tall(value, most), tall(kept[at] ?? 0, most)];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is what stands at its place.
              <g key={at}>
                <rect x={at * bar} y={HEIGHT - low} width={bar - 1.5} height={low} className="fill-border-strong" />
                <rect x={at * bar} y={HEIGHT - high} width={bar - 1.5} height={high} className="fill-accent" />
              </g>
            );
          })}
          <line x1="0" x2={width} y1={HEIGHT} y2={HEIGHT} className="stroke-border-strong" />
          {floor !== undefined && (
            <line
              x1={floor * width}
              x2={floor * width}
              y1="0"
              y2={HEIGHT}
              strokeDasharray="3 3"
              className="stroke-bad"
            />
          )}
        </svg>
      )}
      <figcaption className="flex justify-between text-xs text-fg-2">
        <span>{texts.search.weaker}</span>
        {floor !== undefined && (
          <span>
            {typeof debug.minScore === "number"
              ? texts.search.floorAt(score2(floor))
              : texts.search.automaticFloor(score2(floor))}
          </span>
        )}
        <span>{texts.search.stronger}</span>
      </figcaption>
    </figure>
  );
}

/** The root makes a few hits beside many candidates visible. */
function tall(value: number, most: number): number {
  return HEIGHT * Math.sqrt(value / most);
}

/** Returns a score between the scores that were left out and the scores that were kept. */
function between(left: readonly number[], shown: readonly number[]): number | undefined {
  if (left.length === 0 || shown.length === 0) return undefined;
  return (Math.max(...left) + Math.min(...shown)) / 2;
}

function binned(scores: readonly number[]): number[] {
  const bins = Array.from({ length: BINS }, () => 0);
  for (const score of scores) {
    const at = Math.min(BINS - 1, Math.max(0, Math.floor(score * BINS)));
    bins[at] = (bins[at] ?? 0) + 1;
  }
  return bins;
}
