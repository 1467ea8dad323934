import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../../app/connection-context.ts";
import { useAgents } from "../../app/use-agents.ts";
import { count, moment } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field } from "../../ui/input.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { Differences } from "./differences.tsx";

const MOST = 1000;

/** Lists the files and facts in which two agents differ. */
export function CompareAgents({ agent, origin }: { agent: string; origin: string | undefined }) {
  const { search, change } = useViewAddress();
  const agents = useAgents();
  const others = (agents.data?.agents ?? []).map(({ id }) => id).filter((id) => id !== agent);
  const other = search.with;
  const ids = [...new Set([...(origin === undefined ? [] : [origin]), ...others])];
  return (
    <Section title={texts.branches.compare} note={texts.branches.compareHint}>
      {ids.length === 0 ? (
        <p className="text-sm text-fg-2">{texts.branches.noOther}</p>
      ) : (
        <Field label={texts.labels.compareWith} className="max-w-64">
          <Select
            value={other ?? ""}
            of={ids}
            onChange={(event) => change({ with: event.currentTarget.value || undefined })}
          >
            <option value="">{texts.branches.choose}</option>
          </Select>
        </Field>
      )}
      {other !== undefined && <Compared key={other} agent={agent} other={other} />}
    </Section>
  );
}

function Compared({ agent, other }: { agent: string; other: string }) {
  const { client } = useConnection();
  const found = useQuery({
    queryKey: ["agent-diff", agent, other],
    queryFn: () => client.agents.diff(agent, other, MOST),
    staleTime: 0,
  });
  if (found.isPending) return <Loading what={texts.labels.theDifference} />;
  if (found.error) return <ErrorBox error={found.error} onRetry={() => void found.refetch()} />;
  const { since, files, facts, counts } = found.data;
  const left = counts.files + counts.facts - files.length - facts.length;
  if (counts.files + counts.facts === 0) return <p>{texts.branches.same}</p>;
  return (
    <>
      <p className="text-sm text-fg-2">
        {since === null ? texts.branches.unrelated : sentences.alikeSince(moment(since))}
      </p>
      <Differences label={texts.branches.differences} files={files} facts={facts} here={agent} there={other} />
      {left > 0 && <p className="text-sm text-fg-2">{sentences.andMore(count(left))}</p>}
    </>
  );
}
