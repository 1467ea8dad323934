import { Archive, Plus } from "lucide-react";
import { useState } from "react";
import type { Agent } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { FindInput } from "../../app/find-input.tsx";
import { mayManage } from "../../lib/connection.ts";
import { has } from "../../lib/features.ts";
import { bytes, count } from "../../lib/format.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Paged } from "../../ui/paged.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { AgentDialogs } from "./agent-dialogs.tsx";
import { AgentMenu } from "./agent-menu.tsx";
import { Shown } from "./shown.tsx";
import { type Calls, useCallsByAgent } from "./use-calls.ts";
import { useRows } from "./use-rows.ts";

/** Lists all agents of the tenant. Agents can be created, opened, changed, exported and erased. */
export function AgentsPage() {
  const { search, change } = useViewAddress();
  const { key } = useConnection();
  const owner = mayManage(key);
  const list = useRows<Agent>("/v1/agents", "agents");
  const calls = useCallsByAgent();
  const [erasing, setErasing] = useState<Agent>();
  const wanted = (search.find ?? "").toLowerCase();
  const rows = list.rows.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted));
  return (
    <Page
      head={
        <PageHeader
          title={texts.places.agents}
          actions={
            owner && (
              <>
                {has("archives") && (
                  <Button onClick={() => change({ new: "import" })}>
                    <Archive aria-hidden="true" className="size-4" />
                    {texts.labels.importAnArchive}
                  </Button>
                )}
                <Button kind="primary" onClick={() => change({ new: "agent" })}>
                  <Plus aria-hidden="true" className="size-4" />
                  {texts.labels.newAgent}
                </Button>
              </>
            )
          }
        >
          <FindInput label={texts.operator.agents.find} />
        </PageHeader>
      }
    >
      <Paged list={list} what={texts.labels.theList}>
        <DataTable
          label={texts.places.agents}
          name="agents"
          rows={rows}
          columns={columnsOf(calls, owner, setErasing)}
          keyOf={({ id }) => id}
          toolbar={<Shown count={rows.length} of={list.rows.length} />}
          empty={
            wanted === "" ? (
              <Empty title={texts.agents.none} />
            ) : (
              <Empty title={texts.operator.noMatch}>{texts.operator.noMatchHint}</Empty>
            )
          }
        />
      </Paged>
      <AgentDialogs agents={list.rows} erasing={erasing} onErased={() => setErasing(undefined)} />
    </Page>
  );
}

function columnsOf(
  calls: ReadonlyMap<string, Calls> | undefined,
  owner: boolean,
  onErase: (agent: Agent) => void,
): Column<Agent>[] {
  const { columns, operator } = texts;
  return [
    { id: "agent", head: columns.agent, sortBy: ({ id }) => id, show: (agent) => <AgentName agent={agent} /> },
    ...(calls
      ? [
          {
            id: "calls",
            head: operator.callsOfMonth,
            end: true,
            sortBy: ({ id }: Agent) => calls.get(id)?.times ?? 0,
            show: ({ id }: Agent) => <CallsShown calls={calls.get(id)} />,
          },
        ]
      : []),
    { id: "facts", head: columns.facts, end: true, ...ofCount(({ usage }) => usage.facts) },
    { id: "files", head: columns.files, end: true, ...ofCount(({ usage }) => usage.files) },
    { id: "chunks", head: columns.chunks, end: true, hidden: true, ...ofCount(({ usage }) => usage.chunks) },
    {
      id: "size",
      head: columns.size,
      end: true,
      sortBy: ({ usage }) => usage.bytes,
      show: ({ usage, limits }) =>
        limits.bytes === undefined ? bytes(usage.bytes) : operator.ofLimit(bytes(usage.bytes), bytes(limits.bytes)),
    },
    {
      id: "history",
      head: operator.agents.history,
      end: true,
      hidden: true,
      sortBy: ({ usage }) => usage.historyBytes,
      show: ({ usage }) => bytes(usage.historyBytes),
    },
    {
      id: "created",
      head: columns.created,
      sortBy: ({ createdAt }) => createdAt,
      show: ({ createdAt }) => <RelativeTime at={createdAt} byDay />,
    },
    {
      id: "actions",
      head: "",
      end: true,
      show: (agent) => <AgentMenu agent={agent} owner={owner} onErase={onErase} />,
    },
  ];
}

function ofCount(value: (agent: Agent) => number) {
  return { sortBy: value, show: (agent: Agent) => count(value(agent)) };
}

/** The id of an agent, with its name and its state. */
export function AgentName({ agent: { id, name, status } }: { agent: Agent }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Link to="/agents/$agent" params={{ agent: id }} className="font-semibold text-accent hover:underline">
        {id}
      </Link>
      {name !== "" && name !== id && (
        <span dir="auto" className="text-fg-2">
          {name}
        </span>
      )}
      {status !== "active" && <Badge tone="warn">{texts.operator.agents.states[status]}</Badge>}
    </span>
  );
}

function CallsShown({ calls }: { calls: Calls | undefined }) {
  if (!calls) return <span className="text-fg-3">{count(0)}</span>;
  return (
    <span className="inline-flex items-center gap-2">
      {calls.failed > 0 && <Badge tone="bad">{texts.operator.failed(count(calls.failed))}</Badge>}
      {count(calls.times)}
    </span>
  );
}
