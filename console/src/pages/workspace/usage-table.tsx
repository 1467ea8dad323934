import type { EmbeddingUsageEntry } from "recollect/client";
import { count, usd } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/section.tsx";

/** Lists each day's use of each model by each agent. */
export function UsageTable({ entries }: { entries: readonly EmbeddingUsageEntry[] }) {
  return (
    <Section title={texts.operator.usage.details}>
      <DataTable
        label={texts.labels.tableOfUsage}
        name="usage"
        rows={entries}
        columns={columnsOf()}
        keyOf={(one) => `${one.day} ${one.agentId} ${one.provider} ${one.model} ${one.kind}`}
      />
    </Section>
  );
}

function columnsOf(): Column<EmbeddingUsageEntry>[] {
  const { columns, operator, operate } = texts;
  return [
    { id: "day", head: columns.day, sortBy: ({ day }) => day, show: ({ day }) => day },
    {
      id: "agent",
      head: columns.agent,
      sortBy: ({ agentId }) => agentId,
      show: ({ agentId }) => agentId || <span className="text-fg-2">{operator.usage.erased}</span>,
    },
    {
      id: "model",
      head: columns.model,
      sortBy: ({ provider, model }) => `${provider} ${model}`,
      show: ({ provider, model }) => `${provider} · ${model}`,
    },
    { id: "for", head: columns.for, sortBy: ({ kind }) => kind, show: ({ kind }) => operator.usage.kinds[kind] },
    { id: "texts", head: columns.texts, end: true, sortBy: (one) => one.texts, show: (one) => count(one.texts) },
    { id: "tokens", head: columns.tokens, end: true, sortBy: (one) => one.tokens, show: (one) => count(one.tokens) },
    {
      id: "cost",
      head: columns.cost,
      end: true,
      sortBy: ({ costNanoUsd }) => costNanoUsd ?? -1,
      show: ({ costNanoUsd }) => (costNanoUsd === null ? operate.noPrice : usd(costNanoUsd)),
    },
  ];
}
