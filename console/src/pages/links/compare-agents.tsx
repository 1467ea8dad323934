import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../../app/connection-context.ts";
import { useAgents } from "../../app/pages.ts";
import { useViewAddress } from "../../app/view-address.ts";
import { count, moment } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Options } from "../../ui/options.tsx";
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
    <section>
      <h2>{texts.branches.compare}</h2>
      {ids.length === 0 ? (
        <p className="quiet">{texts.branches.noOther}</p>
      ) : (
        <div className="row">
          <label>
            {texts.labels.compareWith}
            <select value={other ?? ""} onChange={(event) => change({ with: event.target.value })}>
              <option value="">{texts.branches.choose}</option>
              <Options of={ids} />
            </select>
          </label>
        </div>
      )}
      {other !== undefined && <Compared key={other} agent={agent} other={other} />}
    </section>
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
      <p className="quiet">{since === null ? texts.branches.unrelated : sentences.alikeSince(moment(since))}</p>
      <Differences label={texts.branches.differences} files={files} facts={facts} here={agent} there={other} />
      {left > 0 && <p className="quiet">{sentences.andMore(count(left))}</p>}
    </>
  );
}
