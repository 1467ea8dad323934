import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useConnection } from "../../app/connection-context.ts";
import { useHealth } from "../../app/use-health.ts";
import { cn } from "../../lib/cn.ts";
import { mayDo } from "../../lib/connection.ts";
import { has } from "../../lib/features.ts";
import { ago } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Checks } from "./checks.tsx";
import { JobFilters, JobsPart } from "./jobs.tsx";

/** Shows what the service finds about itself, and its background jobs. */
export function HealthPage() {
  const { search, change } = useViewAddress();
  const { key } = useConnection();
  const queries = useQueryClient();
  // The header's light is about the agent that was shown last, so this page is too.
  const agent = key.agentId ?? localStorage.getItem("recollect.agent") ?? "main";
  const health = useHealth(agent);
  const mayJobs = mayDo(key, "tenant") && key.agentId === null;
  const checks = has("doctor");
  const jobs = mayJobs && (search.view === "jobs" || !checks);
  const { health: words } = texts.operator;
  return (
    <Page
      width={jobs ? "board" : "read"}
      head={
        <PageHeader
          title={texts.places.health}
          note={!jobs && health.dataUpdatedAt > 0 && words.checked(ago(new Date(health.dataUpdatedAt).toISOString()))}
          actions={
            <>
              {!jobs && (
                <Button
                  onClick={() => void queries.invalidateQueries({ queryKey: ["doctor"] })}
                  disabled={health.isFetching}
                >
                  <RefreshCw aria-hidden="true" className={cn("size-4", health.isFetching && "animate-spin")} />
                  {words.again}
                </Button>
              )}
              {mayJobs && checks && (
                <Segmented
                  label={texts.labels.view}
                  value={jobs ? "jobs" : "checks"}
                  of={[
                    ["checks", texts.health.checks],
                    ["jobs", texts.health.jobs],
                  ]}
                  onChoose={(view) => change({ view: view === "jobs" ? view : undefined, state: undefined })}
                />
              )}
            </>
          }
        >
          {jobs && <JobFilters />}
        </PageHeader>
      }
    >
      {jobs ? <JobsPart /> : <Checks health={health} agent={agent} />}
    </Page>
  );
}
