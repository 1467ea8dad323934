import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Growth as Grown } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { runningTotal } from "../../lib/chart-scale.ts";
import { DAY_MS } from "../../lib/day-ms.ts";
import { count, shortDay } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Chart } from "../../ui/chart.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";

const SPANS = ["30", "90", "365"] as const;

/** Shows how much an agent has remembered on each day, by kind. */
export function Growth({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const [days, setDays] = useState<(typeof SPANS)[number]>("90");
  const growth = useQuery({
    queryKey: ["growth", agent, days],
    queryFn: () => memory.growth(Number(days)),
    // The picture of the span before stays until the next one is there.
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
  const course = useMemo(() => growth.data && courseOf(growth.data), [growth.data]);
  return (
    <Section
      title={texts.home.growth}
      actions={
        <Segmented
          label={texts.home.growth}
          value={days}
          of={SPANS.map((one) => [one, texts.home.days(one)] as const)}
          onChoose={setDays}
        />
      }
    >
      {growth.isPending && <Loading what={texts.home.theGrowth} />}
      {growth.error && <ErrorBox error={growth.error} onRetry={() => void growth.refetch()} />}
      {course && (
        <Chart
          label={texts.home.growthChart}
          kind="area"
          names={course.days.map((day) => shortDay(`${day}T12:00:00Z`))}
          show={count}
          height={200}
          series={[
            { name: texts.overview.kinds.files, tone: "file", values: course.files },
            { name: texts.overview.kinds.facts, tone: "fact", values: course.facts },
            { name: texts.overview.kinds.messages, tone: "chat", values: course.messages },
          ]}
        />
      )}
    </Section>
  );
}

/** Returns the totals of each day, also of days on which nothing was stored. */
function courseOf({ from, to, before, days }: Grown) {
  const stored = new Map(days.map((one) => [one.day, one]));
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const all: string[] = [];
  for (let at = first; at <= last; at += DAY_MS) all.push(new Date(at).toISOString().slice(0, 10));
  const total = (kind: "files" | "facts" | "messages") =>
    runningTotal(
      all.map((day) => stored.get(day)?.[kind] ?? 0),
      before[kind],
    );
  return { days: all, files: total("files"), facts: total("facts"), messages: total("messages") };
}
