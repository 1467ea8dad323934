import { useConnection } from "../../app/connection-context.ts";
import { mayManage } from "../../lib/connection.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { AdminPart } from "./admin-part.tsx";
import { ChangeFilters } from "./change-filters.tsx";
import { Changes } from "./changes.tsx";
import { RequestsPart } from "./requests.tsx";

const VIEWS = ["requests", "changes", "admin"] as const;

/** Shows who used an agent's memory, what changed in it, and what was done to the agent. */
export function ActivityPage() {
  const { agent, search, change } = useViewAddress();
  const { key } = useConnection();
  const views = VIEWS.filter((view) => view !== "admin" || mayManage(key));
  const view = views.find((one) => one === search.view) ?? "requests";
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title={texts.places.activity}
        actions={
          <Segmented
            label={texts.labels.view}
            value={view}
            of={views.map((one) => [one, texts.activity[one]] as const)}
            onChoose={(next) => change({ view: next })}
          />
        }
      >
        {view === "changes" && <ChangeFilters />}
      </PageHeader>
      {view === "requests" && <RequestsPart key={agent} agent={agent} />}
      {view === "changes" && <Changes key={agent} agent={agent} />}
      {view === "admin" && <AdminPart agent={agent} />}
    </div>
  );
}
