import { useQuery } from "@tanstack/react-query";
import { ArrowRight, GitBranch } from "lucide-react";
import { RecollectError } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayManage } from "../../lib/connection.ts";
import { moment } from "../../lib/format.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { CompareAgents } from "./compare-agents.tsx";
import { MakeBranch } from "./make-branch.tsx";
import { MergeBranch } from "./merge-branch.tsx";

/** Shows the origin of a branch, makes and merges branches, and compares agents. */
export function BranchesPart({ agent }: { agent: string }) {
  const { client, key } = useConnection();
  const { search } = useViewAddress();
  const branch = useQuery({ queryKey: ["branch", agent], queryFn: () => client.agents.branch(agent) });
  const isBranch = !(branch.error instanceof RecollectError && branch.error.code === "branch_not_found");
  const origin = branch.data?.origin ?? undefined;
  return (
    <Page width="read">
      {branch.isPending && <Loading what={texts.branches.theBranch} />}
      {branch.error && isBranch && <ErrorBox error={branch.error} onRetry={() => void branch.refetch()} />}
      {!branch.isPending && (
        <Lineage
          agent={agent}
          origin={origin}
          at={branch.data?.branchedAt ?? null}
          isBranch={branch.data !== undefined}
        />
      )}
      {mayManage(key) && !branch.isPending && (
        <>
          <BranchList agent={agent} />
          <MakeBranch agent={agent} opened={search.new !== undefined} />
          {origin !== undefined && <MergeBranch key={agent} agent={agent} into={origin} />}
          <CompareAgents agent={agent} origin={origin} />
        </>
      )}
    </Page>
  );
}

/** Lists the agents that were made of an agent; nothing if there is none. */
function BranchList({ agent }: { agent: string }) {
  const { client } = useConnection();
  const made = useQuery({ queryKey: ["agents", agent, "branches"], queryFn: () => client.agents.branches(agent) });
  if (made.error) return <ErrorBox error={made.error} onRetry={() => void made.refetch()} />;
  const branches = made.data?.branches ?? [];
  if (branches.length === 0) return null;
  return (
    <Section title={texts.branches.made}>
      <ul className="flex flex-col divide-y divide-border">
        {branches.map(({ agentId, state, branchedAt }) => (
          <li key={agentId} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <ArrowRight aria-hidden="true" className="size-4 text-fg-3" />
            <BranchesLink agent={agentId} />
            <span className="text-sm text-fg-2">
              {state === "copying" ? texts.branches.copying : sentences.hasStateOf(moment(branchedAt ?? ""))}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface LineageProps {
  agent: string;
  origin: string | undefined;
  at: string | null;
  isBranch: boolean;
}

/** Shows what an agent was made of. */
function Lineage({ agent, origin, at, isBranch }: LineageProps) {
  const text = !isBranch
    ? texts.branches.none
    : origin === undefined
      ? texts.branches.originErased
      : sentences.madeOf(at === null ? undefined : moment(at));
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-border bg-surface p-4">
      <GitBranch aria-hidden="true" className="size-5 text-fg-2" />
      {origin !== undefined && (
        <>
          <BranchesLink agent={origin} />
          <ArrowRight aria-hidden="true" className="size-4 text-fg-3" />
        </>
      )}
      <strong>{agent}</strong>
      <span className="text-sm text-fg-2">
        {text}
        {origin !== undefined && ` ${origin}`}
      </span>
    </div>
  );
}

/** Leads to the branches of another agent. */
function BranchesLink({ agent }: { agent: string }) {
  return (
    <Link
      to="/agents/$agent/versions"
      params={{ agent }}
      search={{ view: "branches" }}
      className="font-semibold text-accent hover:underline"
    >
      {agent}
    </Link>
  );
}
