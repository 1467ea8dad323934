import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type ActivityEntry, type ActivitySummary, RecollectError } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useNames } from "../../app/use-names.ts";
import { callsByDay, callsInAll } from "../../lib/calls-by-day.ts";
import { duration } from "../../lib/duration.ts";
import { count, dayName, percent } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Chart } from "../../ui/chart.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { Paged } from "../../ui/paged.tsx";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Stat } from "../../ui/stat.tsx";
import { usePages } from "../../ui/use-pages.ts";
import { Callers } from "./callers.tsx";
import { LivePart } from "./live-part.tsx";
import { requestColumns } from "./request-columns.tsx";

const DAYS = ["7", "30", "90"] as const;
const EVERY_MS = 5000;

/** Shows who asks an agent's memory, how often, how long it takes, and how often nothing is found. */
export function RequestsPart({ agent }: { agent: string }) {
  const { search, change } = useViewAddress();
  const memory = useAgent(agent);
  const nameOf = useNames();
  const days = DAYS.find((one) => one === search.days) ?? "30";
  const summary = useQuery({
    queryKey: ["activity", agent, "summary", days],
    queryFn: () => readSummary(() => memory.activitySummary({ days: Number(days), by: "actor" })),
    staleTime: 30_000,
  });
  const used = usePages(["activity", agent], (cursor) => memory.activity({ limit: 100, cursor }), EVERY_MS);
  const rows = useMemo(() => used.data?.pages.flatMap((page) => page.activity) ?? [], [used.data]);
  const { activityLog: words } = texts;
  return (
    <Page>
      {summary.data && (
        <>
          <div className="flex justify-end">
            <Segmented
              label={texts.operator.usage.span}
              value={days}
              of={DAYS.map((one) => [one, texts.operator.usage.days(Number(one))] as const)}
              onChoose={(next) => change({ days: next }, true)}
            />
          </div>
          <Summary summary={summary.data} />
        </>
      )}
      <div className="grid grid-cols-2 items-start gap-5 max-lg:grid-cols-1">
        {summary.data && summary.data.groups.length > 0 && <Callers groups={summary.data.groups} nameOf={nameOf} />}
        <LivePart agent={agent} />
      </div>
      <Section title={words.latest} note={words.latestNote}>
        <Paged list={used} what={texts.labels.theList}>
          <DataTable<ActivityEntry>
            label={texts.activity.requests}
            name="requests"
            rows={rows}
            columns={requestColumns(nameOf)}
            keyOf={({ id }) => id}
            empty={<Empty title={texts.live.unused}>{texts.live.unusedHint}</Empty>}
          />
        </Paged>
      </Section>
    </Page>
  );
}

/** Returns null if the service is older than the sums. */
async function readSummary(read: () => Promise<ActivitySummary>): Promise<ActivitySummary | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RecollectError && error.status === 404) return null;
    throw error;
  }
}

function Summary({ summary }: { summary: ActivitySummary }) {
  const days = useMemo(() => callsByDay(summary), [summary]);
  const all = callsInAll(days);
  const { activityLog: words } = texts;
  if (all.times === 0) return null;
  const names = days.map(({ day }) => dayName(day));
  const [p50, p95] = [all.p50Ms, all.p95Ms];
  return (
    <>
      <div className="grid grid-cols-4 gap-3 max-lg:grid-cols-2">
        <Stat label={words.calls} value={count(all.times)} points={days.map(({ times }) => times)} />
        <Stat
          label={words.usualTime}
          value={p50 === undefined ? "–" : duration(p50)}
          note={p95 === undefined ? undefined : words.slowTime(duration(p95))}
        />
        <Stat
          label={words.nothingFound}
          value={percent(all.empty / all.times)}
          note={words.ofCalls(count(all.empty))}
        />
        <Stat
          label={words.failures}
          value={count(all.failed)}
          points={all.failed > 0 ? days.map(({ failed }) => failed) : undefined}
        />
      </div>
      <div className="grid grid-cols-2 gap-5 max-lg:grid-cols-1">
        <Section title={words.callsADay}>
          <Chart
            label={words.callsADay}
            kind="bars"
            names={names}
            show={count}
            series={[
              { name: texts.home.withResult, tone: "accent", values: days.map(({ times, empty }) => times - empty) },
              { name: texts.home.empty, tone: "quiet", values: days.map(({ empty }) => empty) },
            ]}
          />
        </Section>
        <Section title={words.timesADay}>
          <Chart
            label={words.timesADay}
            kind="lines"
            names={names}
            show={(ms) => duration(ms)}
            series={[
              { name: words.half, tone: "file", values: days.map(({ p50Ms }) => p50Ms) },
              { name: words.most, tone: "fact", values: days.map(({ p95Ms }) => p95Ms) },
            ]}
          />
        </Section>
      </div>
    </>
  );
}
