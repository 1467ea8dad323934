import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Job } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { moment } from "../../lib/format.ts";
import { texts } from "../../lib/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";

/** The tenant's background jobs, looked at again every few seconds. */
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
        path="/v1/jobs"
        rows="jobs"
        keyOf={(job) => job.id}
        empty={texts.operate.noJob}
        refetchMs={3000}
        columns={{
          Job: ({ kind }) => kind,
          Agent: ({ agentId }) => agentId ?? "",
          State: ({ state, retryCount }) => (retryCount > 0 ? `${state}, try ${retryCount + 1}` : state),
          Created: ({ createdAt }) => moment(createdAt),
          Ended: ({ endedAt }) => (endedAt ? moment(endedAt) : ""),
          Error: ({ error }) => error?.message ?? "",
          Actions: ({ id, state }) => (
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
