import { Camera, GitBranchPlus, Share2 } from "lucide-react";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo, mayManage } from "../../lib/connection.ts";
import { has } from "../../lib/features.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { BranchesPart } from "./branches.tsx";
import { SharingPart } from "./sharing.tsx";
import { Snapshots } from "./snapshots.tsx";

const VIEWS = (["snapshots", "branches", "sharing"] as const).filter(has);

/** Shows the states that an agent can go back to, its branches, and what it shares. */
export function VersionsPage() {
  const { agent, search, change } = useViewAddress();
  const { key } = useConnection();
  const view = VIEWS.find((one) => one === search.view) ?? VIEWS[0] ?? "snapshots";
  const create = {
    snapshots: { icon: Camera, label: texts.labels.takeASnapshot, may: mayDo(key, "agent:write") },
    branches: { icon: GitBranchPlus, label: texts.branches.make, may: mayManage(key) },
    sharing: { icon: Share2, label: texts.sharing.share, may: mayManage(key) },
  }[view];
  const Icon = create.icon;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title={texts.places.versions}
        inDetail={view === "snapshots" && search.snapshot !== undefined}
        actions={
          <>
            {VIEWS.length > 1 && (
              <Segmented
                label={texts.labels.view}
                value={view}
                of={VIEWS.map((one) => [one, texts.versions[one]] as const)}
                onChoose={(next) => change({ view: next, new: undefined, snapshot: undefined, with: undefined })}
              />
            )}
            {create.may && (
              <Button kind="primary" onClick={() => change({ new: "true" })}>
                <Icon aria-hidden="true" className="size-4" />
                {create.label}
              </Button>
            )}
          </>
        }
      />
      {view === "snapshots" && <Snapshots key={agent} agent={agent} />}
      {view === "branches" && <BranchesPart key={agent} agent={agent} />}
      {view === "sharing" && <SharingPart key={agent} agent={agent} />}
    </div>
  );
}
