import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Job } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { When } from "../../ui/when.tsx";
import { JobProgress } from "./job-progress.tsx";

/** Lists the tenant's background jobs. Reads the list again every three seconds. */
export function JobsPart() {
  const { client } = useConnection();
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: ({ job, method, path }: { job: string; method: string; path: string }) =>
      client.request(method, `/v1/jobs/${job}${path}`, method === "POST" ? { body: {} } : {}),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["table", "/v1/jobs"] }),
  });
  return (
    <>
      {act.error && <ErrorBox error={act.error} />}
      <PagedTable<Job>
        label={texts.pages.jobs}
        path="/v1/jobs"
        rows="jobs"
        keyOf={(job) => job.id}
        empty={texts.operate.noJob}
        refetchMs={3000}
        columns={{
          [texts.columns.job]: ({ kind }) => kind,
          [texts.columns.agent]: ({ agentId }) => agentId ?? "",
          [texts.columns.state]: ({ state, retryCount }) =>
            retryCount > 0 ? sentences.tries(state, retryCount + 1) : state,
          [texts.columns.created]: ({ createdAt }) => <When at={createdAt} />,
          [texts.columns.progress]: (job) => <JobProgress job={job} />,
          [texts.columns.ended]: ({ endedAt }) => endedAt && <When at={endedAt} />,
          [texts.columns.error]: ({ error }) => error?.message ?? "",
          [texts.columns.actions]: ({ id, state }) => (
            <div className="row">
              {["failed", "retry", "waiting"].includes(state) && (
                <button type="button" onClick={() => act.mutate({ job: id, method: "POST", path: "/retry" })}>
                  {texts.labels.runNow}
                </button>
              )}
              {["failed", "retry", "waiting", "active"].includes(state) && (
                <button type="button" onClick={() => act.mutate({ job: id, method: "DELETE", path: "" })}>
                  {texts.labels.cancel}
                </button>
              )}
            </div>
          ),
        }}
      />
    </>
  );
}
