import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAgent, useConnection } from "../app/connection-context.ts";
import { useViewAddress } from "../app/view-address.ts";
import { byDay } from "../lib/by-day.ts";
import { mayDo } from "../lib/connection.ts";
import { count, moment } from "../lib/format.ts";
import { texts } from "../lib/texts.ts";
import { Chart } from "../ui/chart.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { type Finding, Findings } from "../ui/findings.tsx";
import { Loading } from "../ui/loading.tsx";

/** What an agent knows, in numbers, and what is wrong with it. */
export function OverviewPage() {
  const { agent } = useViewAddress();
  const memory = useAgent(agent);
  const status = useQuery({ queryKey: ["status", agent], queryFn: () => memory.status(), refetchInterval: 10_000 });
  if (status.isPending) return <Loading what="the status" />;
  if (status.error) return <ErrorBox error={status.error} onRetry={() => void status.refetch()} />;
  const { files, sessions, messages, facts, chunks, pendingEmbeddings, ...rest } = status.data;
  const numbers = {
    files,
    conversations: sessions,
    messages,
    facts,
    chunks,
    "waiting for embedding": pendingEmbeddings,
  };
  const jobs = Object.entries(rest.jobs).filter(([, { waiting, active, failed }]) => waiting + active + failed > 0);
  return (
    <>
      <h1>{agent}</h1>
      <dl className="numbers">
        {Object.entries(numbers).map(([name, value]) => (
          <div key={name} className="card">
            <dt>{name}</dt>
            <dd>{count(value)}</dd>
          </div>
        ))}
      </dl>
      {chunks === 0 && (
        <Empty title={texts.overview.empty}>
          <pre className="plain">recollect sync ~/notes --agent {agent}</pre>
        </Empty>
      )}
      <section>
        <h2>State</h2>
        <table>
          <tbody>
            <Row
              name="Embeddings"
              value={rest.model === "none" ? "none: keyword search only" : `${rest.provider} · ${rest.model}`}
            />
            <Row name="Vector index" value={rest.vector.index} />
            <Row name="Languages" value={rest.keyword.languages.join(", ") || rest.keyword.language} />
            <Row name="Reindex" value={rest.reindex.state} />
            <Row name="Last change" value={moment(rest.lastChangeAt)} />
            <Row
              name="Jobs"
              value={
                jobs
                  .map(
                    ([kind, { waiting, active, failed }]) =>
                      `${kind}: ${waiting} waiting, ${active} active, ${failed} failed`,
                  )
                  .join("; ") || "none"
              }
            />
          </tbody>
        </table>
      </section>
      <Growth agent={agent} />
      <Doctor agent={agent} />
    </>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{value}</td>
    </tr>
  );
}

interface Usage {
  entries: { day: string; kind: string; texts: number }[];
}

/** Texts that were embedded on each day: what was added to the memory. */
function Growth({ agent }: { agent: string }) {
  const { client, key } = useConnection();
  const usage = useQuery({
    queryKey: ["usage", agent],
    queryFn: () => client.request<Usage>("GET", "/v1/usage/embeddings", { query: { agentId: agent, limit: 1000 } }),
    enabled: mayDo(key, "tenant") && key.agentId === null,
  });
  const points = useMemo(() => {
    const added = usage.data?.entries.filter(({ kind }) => kind === "document") ?? [];
    return byDay(added.map(({ day, texts: value }) => ({ day, value })));
  }, [usage.data]);
  if (points.length === 0) return null;
  return (
    <section>
      <h2>Growth</h2>
      <Chart label="Texts embedded a day" points={points} />
    </section>
  );
}

function Doctor({ agent }: { agent: string }) {
  const { client } = useConnection();
  const doctor = useQuery({
    queryKey: ["doctor", agent],
    queryFn: () => client.request<{ findings: Finding[] }>("GET", "/v1/doctor", { query: { agent } }),
    staleTime: 60_000,
  });
  return (
    <section>
      <h2>Doctor</h2>
      {doctor.isPending && <Loading what="the findings" />}
      {doctor.error && <ErrorBox error={doctor.error} />}
      {doctor.data && <Findings findings={doctor.data.findings} />}
    </section>
  );
}
