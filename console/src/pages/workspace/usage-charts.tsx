import { useMemo, useState } from "react";
import type { EmbeddingUsage, EmbeddingUsageEntry } from "recollect/client";
import { count, dayName, usd } from "../../lib/format.ts";
import { seriesByDay } from "../../lib/series-by-day.ts";
import { texts } from "../../texts/texts.ts";
import { Chart } from "../../ui/chart.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Stat } from "../../ui/stat.tsx";
import { useCalls } from "./use-calls.ts";

interface UsageProps {
  usage: EmbeddingUsage;
  days: number;
  agent: string | undefined;
}

/** Shows the sums of a span: cost, tokens, searches. */
export function UsageStats({ usage: { totals, entries }, days, agent }: UsageProps) {
  const calls = useCalls("none", days);
  const { usage: words } = texts.operator;
  const ofDay = (value: (one: EmbeddingUsageEntry) => number) =>
    sparkOf(seriesByDay(entries, days, { name: () => "", value }).series[0]?.values);
  const searches = calls.data?.totals.find(({ kind }) => kind === "search");
  return (
    <div className="grid grid-cols-4 gap-3 max-lg:grid-cols-2">
      <Stat
        label={words.cost}
        value={usd(totals.costNanoUsd)}
        points={ofDay(({ costNanoUsd }) => costNanoUsd ?? 0)}
        note={totals.unpricedTokens > 0 ? words.unpriced(count(totals.unpricedTokens)) : words.costNote}
      />
      <Stat
        label={words.tokens}
        value={count(totals.tokens)}
        points={ofDay(({ tokens }) => tokens)}
        note={words.ofTexts(count(totals.texts))}
      />
      <Stat
        label={words.requests}
        value={count(totals.requests)}
        points={ofDay(({ requests }) => requests)}
        note={words.toProviders}
      />
      {agent === undefined && calls.data && (
        <Stat
          label={words.searches}
          value={count(searches?.times ?? 0)}
          note={searches?.latency ? words.p95(searches.latency.p95Ms) : words.ofAllAgents}
        />
      )}
    </div>
  );
}

/** A line that never leaves zero says nothing. */
function sparkOf(values: readonly number[] | undefined) {
  return values?.some((value) => value > 0) ? values : undefined;
}

const BY = ["model", "agent", "kind"] as const;

/** Draws cost, tokens and searches by day. */
export function UsageCharts({ usage: { entries }, days, agent }: UsageProps) {
  const [by, setBy] = useState<(typeof BY)[number]>("model");
  const { usage: words } = texts.operator;
  const nameOf = {
    model: ({ model }: EmbeddingUsageEntry) => model,
    agent: ({ agentId }: EmbeddingUsageEntry) => agentId || words.erased,
    kind: ({ kind }: EmbeddingUsageEntry) => words.kinds[kind],
  }[by];
  // biome-ignore lint/correctness/useExhaustiveDependencies: `by` says which of the three functions it is.
  const [cost, tokens] = useMemo(
    () => [
      seriesByDay(entries, days, { name: nameOf, value: ({ costNanoUsd }) => costNanoUsd ?? 0 }),
      seriesByDay(entries, days, { name: nameOf, value: (one) => one.tokens }),
    ],
    [entries, days, by],
  );
  const costs = entries.some(({ costNanoUsd }) => (costNanoUsd ?? 0) > 0);
  return (
    <>
      {entries.length === 0 ? (
        <Section title={words.tokensADay}>
          <Empty title={texts.operate.noUsage} />
        </Section>
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-2 text-sm text-fg-2">
            {words.by}
            <Segmented
              label={words.by}
              value={by}
              of={BY.map((one) => [one, words.byNames[one]] as const)}
              onChoose={setBy}
            />
          </div>
          <div className={costs ? "grid grid-cols-2 gap-5 max-lg:grid-cols-1" : "grid gap-5"}>
            {costs && (
              <Section title={words.costADay}>
                <Chart
                  label={words.costADay}
                  kind="bars"
                  names={cost.days.map(dayName)}
                  series={cost.series}
                  show={usd}
                />
              </Section>
            )}
            <Section title={words.tokensADay}>
              <Chart
                label={words.tokensADay}
                kind="bars"
                names={tokens.days.map(dayName)}
                series={tokens.series}
                show={count}
              />
            </Section>
          </div>
        </>
      )}
      {agent === undefined && <SearchesChart days={days} />}
    </>
  );
}

const KINDS = { search: "file", recall: "fact", capture: "chat" } as const;

/** Draws how often memories were used by day, if the service counts it. */
function SearchesChart({ days }: { days: number }) {
  const { data } = useCalls("none", days);
  const { usage: words } = texts.operator;
  const points = useMemo(() => {
    const calls = data?.buckets.map(({ at, kind, times }) => ({ day: at.slice(0, 10), kind, times })) ?? [];
    return (Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind) => ({
      kind,
      ...seriesByDay(
        calls.filter((one) => one.kind === kind),
        days,
        { name: () => kind, value: ({ times }) => times },
      ),
    }));
  }, [data, days]);
  if (!data || data.buckets.length === 0) return null;
  return (
    <Section title={words.callsADay}>
      <Chart
        label={words.callsADay}
        kind="bars"
        names={points[0]?.days.map(dayName) ?? []}
        series={points.map(({ kind, days: all, series }) => ({
          name: words.calls[kind],
          tone: KINDS[kind],
          values: series[0]?.values ?? all.map(() => 0),
        }))}
        show={count}
      />
    </Section>
  );
}
