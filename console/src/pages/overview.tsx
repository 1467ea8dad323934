import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { Findings } from "recollect/client";
import { useAgent, useConnection } from "../app/connection-context.ts";
import { useViewAddress } from "../app/view-address.ts";
import { byDay } from "../lib/by-day.ts";
import { count, moment } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Chart } from "../ui/chart.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { FindingList } from "../ui/finding-list.tsx";
import { Loading } from "../ui/loading.tsx";
import { embeddingProgress, Progress, reindexProgress } from "../ui/progress.tsx";

/** Shows the contents of an agent's memory in numbers, the problems with it and its state. */
export function OverviewPage() {
  const { agent } = useViewAddress();
  const memory = useAgent(agent);
  const status = useQuery({ queryKey: ["status", agent], queryFn: () => memory.status(), refetchInterval: 10_000 });
  if (status.isPending) return <Loading what={texts.labels.theStatus} />;
  if (status.error) return <ErrorBox error={status.error} onRetry={() => void status.refetch()} />;
  const { files, sessions, messages, facts, chunks, pendingEmbeddings, ...rest } = status.data;
  const numbers = {
    [texts.overview.numbers.files]: files,
    [texts.overview.numbers.sessions]: sessions,
    [texts.overview.numbers.messages]: messages,
    [texts.overview.numbers.facts]: facts,
    [texts.overview.numbers.chunks]: chunks,
    [texts.overview.numbers.pending]: pendingEmbeddings,
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
          <pre className="plain">{sentences.syncInto(agent)}</pre>
        </Empty>
      )}
      <Doctor agent={agent} />
      <Growth agent={agent} />
      <section>
        <h2>{texts.labels.state}</h2>
        <table className="about">
          <tbody>
            <Row
              name={texts.overview.rows.embeddings}
              value={
                <>
                  {rest.model === "none" ? texts.overview.noModel : `${rest.provider} · ${rest.model}`}{" "}
                  {pendingEmbeddings > 0 && rest.model !== "none" && (
                    <Progress {...embeddingProgress(status.data)} label={texts.overview.rows.embeddings} />
                  )}
                </>
              }
            />
            <Row
              name={texts.overview.rows.vectorIndex}
              value={texts.overview.vectorIndex[rest.vector.index] ?? rest.vector.index}
            />
            <Row
              name={texts.overview.rows.languages}
              value={rest.keyword.languages.join(", ") || rest.keyword.language}
            />
            <Row
              name={texts.overview.rows.reindex}
              value={
                <>
                  {texts.overview.reindex[rest.reindex.state] ?? rest.reindex.state}{" "}
                  {rest.reindex.state === "building" && (
                    <Progress {...reindexProgress(status.data)} label={texts.overview.rows.reindex} />
                  )}
                </>
              }
            />
            <Row name={texts.overview.rows.lastChange} value={moment(rest.lastChangeAt)} />
            <Row
              name={texts.overview.rows.jobs}
              value={
                jobs
                  .map(([kind, { waiting, active, failed }]) => sentences.jobs(kind, waiting, active, failed))
                  .join("; ") || texts.overview.noJob
              }
            />
          </tbody>
        </table>
      </section>
    </>
  );
}

function Row({ name, value }: { name: string; value: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{value}</td>
    </tr>
  );
}

const GROWN = ["files", "messages", "facts", "chunks"] as const;

/** Shows the stored content by the day on which it was stored. */
function Growth({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const { search, change } = useViewAddress();
  const shown = GROWN.find((kind) => kind === search.grown) ?? "chunks";
  const growth = useQuery({ queryKey: ["growth", agent], queryFn: () => memory.growth(), staleTime: 60_000 });
  const points = useMemo(
    () => byDay(growth.data?.days.map((one) => ({ day: one.day, value: one[shown] })) ?? []),
    [growth.data, shown],
  );
  if (growth.error) return <ErrorBox error={growth.error} onRetry={() => void growth.refetch()} />;
  if (points.length === 0) return null;
  return (
    <section>
      <h2>{texts.overview.growth}</h2>
      <fieldset className="row" aria-label={texts.overview.growthOf}>
        {GROWN.map((kind) => (
          <button key={kind} type="button" aria-pressed={kind === shown} onClick={() => change({ grown: kind }, true)}>
            {texts.overview.kinds[kind]}
          </button>
        ))}
      </fieldset>
      <Chart label={texts.overview.stored[shown]} points={points} />
    </section>
  );
}

function Doctor({ agent }: { agent: string }) {
  const { client } = useConnection();
  const doctor = useQuery({
    queryKey: ["doctor", agent],
    queryFn: () => client.request<Findings>("GET", "/v1/doctor", { query: { agent } }),
    staleTime: 60_000,
  });
  return (
    <section>
      <h2>{texts.labels.doctor}</h2>
      {doctor.isPending && <Loading what={texts.labels.theFindings} />}
      {doctor.error && <ErrorBox error={doctor.error} />}
      {doctor.data && <FindingList findings={doctor.data.findings} />}
    </section>
  );
}
