import type { CallsOfOne } from "recollect/client";
import { duration } from "../../lib/duration.ts";
import { count } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Section } from "../../ui/section.tsx";
import { Actor } from "../workspace/actor.tsx";

const MOST = 10;

interface CallersProps {
  groups: readonly CallsOfOne[];
  nameOf: (id: string) => string | undefined;
}

/** Shows who used the memory most. */
export function Callers({ groups, nameOf }: CallersProps) {
  const callers = sumsOf(groups);
  const most = callers[0]?.times ?? 1;
  const { activityLog: words } = texts;
  return (
    <Section title={words.callers} note={words.callersNote}>
      <ol className="flex flex-col gap-3">
        {callers.slice(0, MOST).map(({ actor, keyName, times, slowMs }) => (
          <li key={actor} className="flex flex-col gap-1 text-sm">
            <span className="flex items-baseline justify-between gap-3">
              <Actor id={actor} name={keyName ?? nameOf(actor)} />
              <span className="tabular text-xs text-fg-2">
                {slowMs > 0 && `${words.slowTime(duration(slowMs))} · `}
                <strong className="text-sm text-fg">{count(times)}</strong>
              </span>
            </span>
            <svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none" className="h-1.5 w-full">
              <rect width="100" height="4" rx="1" className="fill-hover" />
              <rect width={(100 * times) / most} height="4" rx="1" className="fill-accent" />
            </svg>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Adds up the kinds of calls of each caller, the busiest first. */
function sumsOf(groups: readonly CallsOfOne[]) {
  const sums = new Map<string, { actor: string; keyName: string | null; times: number; slowMs: number }>();
  for (const { actor = "", keyName = null, times, latency } of groups) {
    const sum = sums.get(actor) ?? { actor, keyName, times: 0, slowMs: 0 };
    sums.set(actor, { ...sum, times: sum.times + times, slowMs: Math.max(sum.slowMs, latency?.p95Ms ?? 0) });
  }
  return [...sums.values()].sort((a, b) => b.times - a.times);
}
