import { useQuery } from "@tanstack/react-query";
import type { EmbeddingUsage, EmbeddingUsageEntry } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useAgents } from "../../app/use-agents.ts";
import { DAY_MS } from "../../lib/day-ms.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { ChoiceChip } from "../../ui/filter-chip.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { LimitsPart } from "./limits.tsx";
import { StoragePart } from "./storage.tsx";
import { UsageCharts, UsageStats } from "./usage-charts.tsx";
import { UsageTable } from "./usage-table.tsx";

const DAYS = ["7", "30", "90"] as const;
const PAGE = 1000;
/** A year of a tenant with many agents has more rows than a chart needs. */
const MOST_ROWS = 20_000;

/** Shows what the tenant has used and what it cost: providers, searches, storage, against its limits. */
export function UsagePage() {
  const { search, change } = useViewAddress();
  const { client } = useConnection();
  const agents = useAgents();
  const days = DAYS.find((one) => one === search.days) ?? "30";
  const from = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10);
  const agentId = search.agent;
  const usage = useQuery({
    queryKey: ["usage", from, agentId ?? ""],
    queryFn: () =>
      readAll((cursor) =>
        client.request<EmbeddingUsage>("GET", "/v1/usage/embeddings", {
          query: { from, agentId, limit: PAGE, cursor },
        }),
      ),
  });
  const { usage: words } = texts.operator;
  return (
    <Page
      head={
        <PageHeader
          title={texts.places.usage}
          actions={
            <>
              <ChoiceChip
                label={texts.columns.agent}
                shown={agentId}
                value={agentId ?? ""}
                options={agents.data?.agents.map(({ id }) => ({ value: id, label: id })) ?? []}
                free
                onChoose={(agent) => change({ agent }, true)}
                onClear={() => change({ agent: undefined }, true)}
              />
              <Segmented
                label={words.span}
                value={days}
                of={DAYS.map((one) => [one, words.days(Number(one))] as const)}
                onChoose={(next) => change({ days: next }, true)}
              />
            </>
          }
        />
      }
    >
      {usage.isPending && <Loading what={texts.labels.usage} lines={8} />}
      {usage.error && <ErrorBox error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.data && (
        <>
          <UsageStats usage={usage.data} days={Number(days)} agent={agentId} />
          <UsageCharts usage={usage.data} days={Number(days)} agent={agentId} />
        </>
      )}
      <div className="grid grid-cols-2 items-start gap-5 max-lg:grid-cols-1">
        <LimitsPart />
        <StoragePart agent={agentId} />
      </div>
      {usage.data && usage.data.entries.length > 0 && <UsageTable entries={usage.data.entries} />}
    </Page>
  );
}

/** Reads all pages of a span, with the totals, which each page has for the whole span. */
async function readAll(read: (cursor: string | undefined) => Promise<EmbeddingUsage>): Promise<EmbeddingUsage> {
  const entries: EmbeddingUsageEntry[] = [];
  let page = await read(undefined);
  entries.push(...page.entries);
  while (page.nextCursor !== undefined && entries.length < MOST_ROWS) {
    page = await read(page.nextCursor);
    entries.push(...page.entries);
  }
  return { ...page, entries };
}
