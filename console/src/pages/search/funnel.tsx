import type { ArmEntry, SearchDebug } from "recollect/client";
import { count } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";

/** Shows how many passages were left after each step of a search. */
export function Funnel({
  debug,
  shown,
  passages,
}: {
  debug: SearchDebug;
  shown: number;
  passages: number | undefined;
}) {
  const { keyword, vector } = debug.arms;
  const candidates = new Set([...keyword, ...vector].map(placeOf)).size;
  const below = debug.leftOut.filter(({ stage }) => stage === "floor").length;
  const steps = [
    ...(passages === undefined ? [] : [[texts.search.steps.passages, passages] as const]),
    [texts.search.steps.candidates, candidates] as const,
    [texts.search.steps.aboveFloor, Math.max(shown, candidates - below)] as const,
    [texts.search.steps.shown, shown] as const,
  ];
  const most = Math.max(1, ...steps.map(([, value]) => value));
  return (
    <dl className="grid auto-cols-fr grid-flow-col gap-2">
      {steps.map(([name, value], at) => (
        <div key={name} className="flex min-w-0 flex-col items-center gap-1">
          <dt className="order-2 max-w-full truncate text-xs text-fg-2">{name}</dt>
          <dd className="grid h-14 w-full items-center">
            <span className="col-start-1 row-start-1 flex items-center">
              <span
                aria-hidden="true"
                style={{
                  height: `${Math.max(10, 56 * heightOf(value, most))}px`,
                  opacity: 0.25 + (0.75 * at) / steps.length,
                }}
                className="w-full rounded bg-accent"
              />
            </span>
            <span className="tabular relative col-start-1 row-start-1 justify-self-center rounded bg-surface px-1 text-sm font-semibold">
              {count(value)}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The root makes a few hits among thousands of passages visible. */
function heightOf(value: number, most: number): number {
  return Math.sqrt(value / most);
}

export function placeOf({ path, startLine, endLine }: Omit<ArmEntry, "score">): string {
  return `${path}:${startLine}-${endLine}`;
}
