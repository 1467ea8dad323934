import type { Agent } from "recollect/client";
import { bytes, count } from "../../lib/format.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";
import { AgentName } from "./agents.tsx";
import { type Calls, useCallsByAgent } from "./use-calls.ts";
import { useRows } from "./use-rows.ts";

const MOST = 10;

/** Lists the agents that are used most, with what they remember and how much of their limits. */
export function OverviewAgents() {
  const list = useRows<Agent>("/v1/agents", "agents");
  const calls = useCallsByAgent();
  const used = ({ id }: Agent): Calls => calls?.get(id) ?? { times: 0, failed: 0 };
  const rows = [...list.rows].sort((a, b) => used(b).times - used(a).times || b.usage.bytes - a.usage.bytes);
  const { overview } = texts.operator;
  const columns: Column<Agent>[] = [
    {
      id: "agent",
      head: texts.columns.agent,
      sortBy: ({ id }) => id,
      show: (agent) => <AgentName agent={agent} />,
    },
    {
      id: "calls",
      head: texts.operator.callsOfMonth,
      end: true,
      sortBy: (one) => used(one).times,
      show: (one) => count(used(one).times),
    },
    {
      id: "failed",
      head: overview.errors,
      end: true,
      sortBy: (one) => used(one).failed,
      show: (one) => count(used(one).failed),
    },
    {
      id: "facts",
      head: texts.columns.facts,
      end: true,
      sortBy: ({ usage }) => usage.facts,
      show: ({ usage }) => count(usage.facts),
    },
    {
      id: "files",
      head: texts.columns.files,
      end: true,
      sortBy: ({ usage }) => usage.files,
      show: ({ usage }) => count(usage.files),
    },
    {
      id: "size",
      head: texts.columns.size,
      end: true,
      sortBy: ({ usage }) => usage.bytes,
      show: ({ usage, limits }) =>
        limits.bytes === undefined ? bytes(usage.bytes) : overview.ofLimit(bytes(usage.bytes), bytes(limits.bytes)),
    },
  ];
  return (
    <Section
      title={texts.places.agents}
      note={count(list.rows.length)}
      actions={
        <Link to="/workspace/agents" className="text-sm text-accent hover:underline">
          {texts.agents.all}
        </Link>
      }
    >
      {list.isPending && <Loading what={texts.labels.theList} />}
      {list.error && <ErrorBox error={list.error} />}
      {!list.isPending && (
        <DataTable
          name="overview-agents"
          label={texts.places.agents}
          rows={rows.slice(0, MOST)}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<Empty title={texts.agents.none} />}
        />
      )}
    </Section>
  );
}
