import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { MergedBranch } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { counted } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Options } from "../../ui/options.tsx";
import { Differences } from "./differences.tsx";

type Side = "branch" | "target";

/**
 * Merges a branch into the agent that it was made of. The user first sees the changes, then
 * confirms the merge.
 */
export function MergeBranch({ agent, into }: { agent: string; into: string }) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [merged, setMerged] = useState<MergedBranch>();
  const plan = useMutation({
    mutationFn: () => client.agents.merge(agent, { into, dryRun: true }),
    onMutate: () => setMerged(undefined),
  });
  const merge = async (prefer: Side | undefined) => {
    const done = await client.agents.merge(agent, { into, prefer });
    setMerged(done);
    plan.reset();
    await queries.invalidateQueries();
  };
  return (
    <section>
      <h2>{sentences.mergeInto(into)}</h2>
      <p className="quiet">{texts.branches.mergeHint}</p>
      <button type="button" onClick={() => plan.mutate()} disabled={plan.isPending}>
        {texts.labels.whatWouldBeMerged}
      </button>
      {plan.error && <ErrorBox error={plan.error} />}
      {merged && <p role="status">{sentences.merged(changesOf(merged), into)}</p>}
      {plan.data && <Planned key={plan.submittedAt} plan={plan.data} onMerge={merge} />}
    </section>
  );
}

function Planned({ plan, onMerge }: { plan: MergedBranch; onMerge: (prefer: Side | undefined) => Promise<void> }) {
  const { agentId, into, files, facts, conflicts } = plan;
  const [prefer, setPrefer] = useState<Side>();
  const [asked, setAsked] = useState(false);
  if (files.length + facts.length === 0) return <p role="status">{texts.branches.nothing}</p>;
  return (
    <>
      <p role="status">{sentences.wouldMerge(changesOf(plan), into)}</p>
      <Differences label={texts.branches.toMerge} files={files} facts={facts} here={agentId} there={into} />
      {conflicts > 0 && (
        <>
          <p className="problem">{texts.branches.conflicts}</p>
          <div className="row">
            <label>
              {texts.labels.whoseChangeCounts}
              <select
                value={prefer ?? ""}
                onChange={(event) => setPrefer((event.target.value || undefined) as Side | undefined)}
              >
                <option value="" />
                <Options of={texts.branches.prefer} />
              </select>
            </label>
          </div>
        </>
      )}
      <p>
        <button
          type="button"
          className="primary"
          disabled={conflicts > 0 && prefer === undefined}
          onClick={() => setAsked(true)}
        >
          {texts.labels.merge}
        </button>
      </p>
      {asked && (
        <Confirm
          title={sentences.mergeInto(into)}
          message={texts.branches.merge}
          name={into}
          action={texts.labels.merge}
          onConfirm={() => onMerge(prefer)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

function changesOf({ files, facts }: MergedBranch): string {
  return counted(files.length + facts.length, texts.nouns.change);
}
