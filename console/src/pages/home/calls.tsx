import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAgent } from "../../app/connection-context.ts";
import { callsByDay, callsInAll } from "../../lib/calls-by-day.ts";
import { count, percent, shortDay } from "../../lib/format.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Chart } from "../../ui/chart.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";

const DAYS = 30;

/** Shows how often an agent's memory is asked, how long that takes, and how often nothing is found. */
export function Calls({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const summary = useQuery({
    queryKey: ["activity", agent, "summary"],
    queryFn: () => memory.activitySummary({ days: DAYS }),
    staleTime: 60_000,
  });
  const days = useMemo(() => summary.data && callsByDay(summary.data), [summary.data]);
  const all = days && callsInAll(days);
  return (
    <Section
      title={texts.home.calls}
      note={
        all &&
        all.times > 0 &&
        `${texts.home.callsIn(count(all.times), DAYS)} · ${texts.home.withoutResult(percent(all.empty / all.times))}`
      }
      actions={
        <Link to="/agents/$agent/activity" params={{ agent }} className="text-sm text-accent hover:underline">
          {texts.home.allCalls}
        </Link>
      }
    >
      {summary.isPending && <Loading what={texts.home.theCalls} />}
      {summary.error && <ErrorBox error={summary.error} onRetry={() => void summary.refetch()} />}
      {all?.times === 0 && <Empty title={texts.live.unused}>{texts.live.unusedHint}</Empty>}
      {days && all && all.times > 0 && (
        <Chart
          label={texts.home.callsChart}
          kind="bars"
          names={days.map(({ day }) => shortDay(`${day}T12:00:00Z`))}
          show={count}
          height={200}
          series={[
            { name: texts.home.withResult, tone: "accent", values: days.map(({ times, empty }) => times - empty) },
            { name: texts.home.empty, tone: "quiet", values: days.map(({ empty }) => empty) },
          ]}
        />
      )}
    </Section>
  );
}
