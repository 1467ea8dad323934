import { useQuery } from "@tanstack/react-query";
import type { AgentStatus, Job } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { embeddingProgress, Progress, reindexProgress } from "../../ui/progress.tsx";

type Measure = (status: AgentStatus) => { done: number; total: number };

/**
 * The functions that read a running job's progress from its agent's status, by kind of job. Jobs of
 * other kinds end within seconds.
 */
const MEASURES: Partial<Record<string, Measure>> = {
  reindex: reindexProgress,
  embed: embeddingProgress,
  "embed-batch": embeddingProgress,
};

/** Shows the progress of a running job, if it can be known. */
export function JobProgress({ job: { kind, state, agentId } }: { job: Job }) {
  const measure = MEASURES[kind];
  if (state !== "active" || agentId === null || measure === undefined) return null;
  return <Measured agent={agentId} kind={kind} measure={measure} />;
}

function Measured({ agent, kind, measure }: { agent: string; kind: string; measure: Measure }) {
  const memory = useAgent(agent);
  const status = useQuery({ queryKey: ["status", agent], queryFn: () => memory.status(), refetchInterval: 3000 });
  if (!status.data) return null;
  return <Progress {...measure(status.data)} label={kind} />;
}
