import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Play, X } from "lucide-react";
import type { Job } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { messageOf } from "../../lib/connection.ts";
import { duration } from "../../lib/duration.ts";
import { toast } from "../../lib/toasts.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Paged } from "../../ui/paged.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { JobProgress } from "./job-progress.tsx";
import { useRows } from "./use-rows.ts";

const EVERY_MS = 3000;
const PAGE = 200;
const STATES = ["all", "failed", "waiting", "active", "completed"] as const;

type Shown = (typeof STATES)[number];

const shownOf = (state: string | undefined): Shown => STATES.find((one) => one === state) ?? "all";

/** Chooses the jobs of one state. */
export function JobFilters() {
  const { search, change } = useViewAddress();
  const { jobs } = texts.operator;
  return (
    <Segmented
      label={texts.columns.state}
      value={shownOf(search.state)}
      of={STATES.map((state) => [state, jobs.filters[state]] as const)}
      onChoose={(state) => change({ state: state === "all" ? undefined : state }, true)}
    />
  );
}

/** Lists the tenant's background jobs, failed ones first. Reads the list again every three seconds. */
export function JobsPart() {
  const { search } = useViewAddress();
  const shown = shownOf(search.state);
  const query = { limit: PAGE, ...(shown === "all" ? {} : { state: shown }) };
  const list = useRows<Job>("/v1/jobs", "jobs", { query, refetchMs: EVERY_MS });
  // Failed jobs are read besides: the newest page of all jobs may not have them.
  const failed = useRows<Job>("/v1/jobs", "jobs", { query: { limit: PAGE, state: "failed" }, refetchMs: EVERY_MS });
  const act = useJobActions();
  const rows = shown === "all" ? failedFirst(failed.rows, list.rows) : list.rows;
  const { jobs } = texts.operator;
  return (
    <Paged list={list} what={texts.labels.theList}>
      <DataTable
        label={texts.health.jobs}
        name="jobs"
        rows={rows}
        columns={columnsOf(act)}
        keyOf={({ id }) => id}
        toneOf={({ state }) => (state === "failed" ? "bg-bad-soft" : undefined)}
        toolbar={<p className="text-sm text-fg-2">{jobs.kept}</p>}
        empty={<Empty title={shown === "all" ? texts.operate.noJob : jobs.none} />}
      />
    </Paged>
  );
}

/** Leaves out the minutely plans that are done, because they hide what the plans have started. */
function failedFirst(failed: readonly Job[], all: readonly Job[]): Job[] {
  const ids = new Set(failed.map(({ id }) => id));
  const tells = ({ id, kind, state }: Job) => !ids.has(id) && !(kind === "schedule" && state === "completed");
  return [...failed, ...all.filter(tells)];
}

type Act = (job: Job, action: "run" | "cancel") => void;

function useJobActions(): Act {
  const { client } = useConnection();
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: ({ id, action }: { id: string; action: "run" | "cancel" }) =>
      action === "run"
        ? client.request("POST", `/v1/jobs/${id}/retry`, { body: {} })
        : client.request("DELETE", `/v1/jobs/${id}`),
    onSuccess: (_, { action }) => {
      toast(texts.operator.jobs.done[action]);
      return queries.invalidateQueries({ queryKey: ["table", "/v1/jobs"] });
    },
    onError: (error) => toast(messageOf(error), { failed: true }),
  });
  return ({ id }, action) => act.mutate({ id, action });
}

function columnsOf(act: Act): Column<Job>[] {
  const { columns, operator } = texts;
  return [
    {
      id: "job",
      head: columns.job,
      sortBy: ({ kind }) => kind,
      show: ({ kind }) => (
        <span className="flex flex-col">
          <span className="font-semibold">{operator.jobs.kinds[kind] ?? kind}</span>
          <code className="font-mono text-xs font-normal text-fg-2">{kind}</code>
        </span>
      ),
    },
    {
      id: "agent",
      head: columns.agent,
      sortBy: ({ agentId }) => agentId ?? "",
      show: ({ agentId }) =>
        agentId && (
          <Link to="/agents/$agent" params={{ agent: agentId }} className="text-accent hover:underline">
            {agentId}
          </Link>
        ),
    },
    { id: "state", head: columns.state, sortBy: ({ state }) => state, show: (job) => <State of={job} /> },
    {
      id: "created",
      head: columns.created,
      sortBy: ({ createdAt }) => createdAt,
      show: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: "took",
      head: operator.jobs.took,
      end: true,
      sortBy: (job) => tookMs(job) ?? -1,
      show: (job) => durationOf(job),
    },
    { id: "error", head: columns.error, show: ({ error }) => error && <span title={error.code}>{error.message}</span> },
    { id: "actions", head: "", end: true, show: (job) => <Actions of={job} act={act} /> },
  ];
}

const TONES = {
  waiting: "neutral",
  active: "accent",
  retry: "warn",
  completed: "ok",
  cancelled: "neutral",
  failed: "bad",
} as const;

function State({ of: job }: { of: Job }) {
  const { state, retryCount } = job;
  const { states, tries } = texts.operator.jobs;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={TONES[state]}>{retryCount > 0 ? tries(states[state], retryCount + 1) : states[state]}</Badge>
      <JobProgress job={job} />
    </span>
  );
}

function tookMs({ startedAt, endedAt }: Job): number | undefined {
  return startedAt && endedAt ? Date.parse(endedAt) - Date.parse(startedAt) : undefined;
}

function durationOf(job: Job): string {
  const ms = tookMs(job);
  return ms === undefined ? "" : duration(ms);
}

function Actions({ of: job, act }: { of: Job; act: Act }) {
  const { state } = job;
  const waits = ["failed", "retry", "waiting"].includes(state);
  if (!waits && state !== "active") return null;
  return (
    <span className="inline-flex gap-1">
      {waits && (
        <Button size="small" onClick={() => act(job, "run")}>
          <Play aria-hidden="true" className="size-3.5" />
          {texts.labels.runNow}
        </Button>
      )}
      <Button size="small" kind="ghost" onClick={() => act(job, "cancel")}>
        <X aria-hidden="true" className="size-3.5" />
        {texts.labels.cancel}
      </Button>
    </span>
  );
}
