import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RecollectError } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useViewAddress } from "../../app/view-address.ts";
import { mayManage } from "../../lib/connection.ts";
import { moment } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { CompareAgents } from "./compare-agents.tsx";
import { MakeBranch } from "./make-branch.tsx";
import { MergeBranch } from "./merge-branch.tsx";

/** Shows the origin of a branch, makes and merges branches, and compares agents. */
export function BranchesPage() {
  const { agent } = useViewAddress();
  const { client, key } = useConnection();
  const branch = useQuery({ queryKey: ["branch", agent], queryFn: () => client.agents.branch(agent) });
  if (branch.isPending) return <Loading what={texts.branches.theBranch} />;
  const isBranch = !(branch.error instanceof RecollectError && branch.error.code === "branch_not_found");
  const origin = branch.data?.origin ?? undefined;
  return (
    <>
      <h1>{texts.pages.branches}</h1>
      {branch.error && isBranch && <ErrorBox error={branch.error} onRetry={() => void branch.refetch()} />}
      {!isBranch && <p className="quiet">{texts.branches.none}</p>}
      {branch.data && <Origin origin={origin} at={branch.data.branchedAt} />}
      {mayManage(key) && (
        <>
          {origin !== undefined && <MergeBranch key={agent} agent={agent} into={origin} />}
          <MakeBranch key={`make-${agent}`} agent={agent} />
          <CompareAgents agent={agent} origin={origin} />
        </>
      )}
    </>
  );
}

function Origin({ origin, at }: { origin: string | undefined; at: string | null }) {
  if (origin === undefined) return <p>{texts.branches.originErased}</p>;
  return (
    <p>
      {sentences.madeOf(at === null ? undefined : moment(at))}{" "}
      <Link to="/agents/$agent" params={{ agent: origin }}>
        {origin}
      </Link>
    </p>
  );
}
