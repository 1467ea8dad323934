import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { EmbeddingUsage } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { callsByDay, callsInAll } from "../../lib/calls-by-day.ts";
import { duration } from "../../lib/duration.ts";
import { count, percent, usd } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Stat } from "../../ui/stat.tsx";
import { Attention } from "./attention.tsx";
import { KeysToWatch } from "./keys-to-watch.tsx";
import { OverviewAgents } from "./overview-agents.tsx";
import { TodaysAudit } from "./todays-audit.tsx";
import { useCalls } from "./use-calls.ts";

const DAYS = 30;

/** Shows a tenant to its operator: how it is used, what needs attention, its agents and its keys. */
export function OverviewPage() {
  const { key } = useConnection();
  return (
    <Page head={<PageHeader title={texts.places.workspaceOverview} note={texts.header.tenant(key.tenantName)} />}>
      <Stats />
      <Attention />
      <OverviewAgents />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <KeysToWatch />
        <TodaysAudit />
      </div>
    </Page>
  );
}

/** The use of the tenant in four numbers, each with its course. */
function Stats() {
  const { client } = useConnection();
  const calls = useCalls("none", DAYS);
  const usage = useQuery({
    queryKey: ["usage"],
    queryFn: () => client.request<EmbeddingUsage>("GET", "/v1/usage/embeddings", { query: { limit: 1000 } }),
    staleTime: 60_000,
  });
  const days = useMemo(() => (calls.data ? callsByDay(calls.data) : []), [calls.data]);
  const all = callsInAll(days);
  const cost = useMemo(() => costByDay(usage.data), [usage.data]);
  const { activityLog: words } = texts;
  const { overview } = texts.operator;
  return (
    <div className="grid grid-cols-4 gap-4 max-xl:grid-cols-2 max-md:gap-2">
      <Stat
        label={words.calls}
        value={count(all.times)}
        note={overview.lastDays(DAYS)}
        points={days.map(({ times }) => times)}
      />
      <Stat
        label={words.usualTime}
        value={all.p50Ms === undefined ? "–" : duration(all.p50Ms)}
        note={all.p95Ms === undefined ? overview.notMeasured : words.slowTime(duration(all.p95Ms))}
        points={days.map(({ p50Ms }) => p50Ms ?? 0)}
      />
      <Stat
        label={overview.errors}
        value={count(all.failed)}
        note={all.failed > 0 ? overview.share(percent(all.failed / all.times)) : overview.lastDays(DAYS)}
        points={all.failed > 0 ? days.map(({ failed }) => failed) : undefined}
      />
      <Stat
        label={overview.cost}
        value={usd(usage.data?.totals.costNanoUsd ?? 0)}
        note={usage.data && overview.tokens(count(usage.data.totals.tokens))}
        points={cost}
        link={{ to: "/workspace/usage" }}
      />
    </div>
  );
}

function costByDay(usage: EmbeddingUsage | undefined): number[] {
  const days = new Map<string, number>();
  for (const { day, costNanoUsd } of usage?.entries ?? []) days.set(day, (days.get(day) ?? 0) + (costNanoUsd ?? 0));
  return [...days].sort(([a], [b]) => a.localeCompare(b)).map(([, value]) => value);
}
