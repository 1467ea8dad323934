import { useMutation, useQueryClient } from "@tanstack/react-query";
import { GitMerge } from "lucide-react";
import { useState } from "react";
import type { MergedBranch } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { counted } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field } from "../../ui/input.tsx";
import { Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
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
    <Section
      title={sentences.mergeInto(into)}
      note={texts.branches.mergeHint}
      actions={
        <Button onClick={() => plan.mutate()} disabled={plan.isPending}>
          {texts.labels.whatWouldBeMerged}
        </Button>
      }
    >
      {plan.error && <ErrorBox error={plan.error} />}
      {merged && <p role="status">{sentences.merged(changesOf(merged), into)}</p>}
      {plan.data && <Planned key={plan.submittedAt} plan={plan.data} onMerge={merge} />}
    </Section>
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
      <div className="flex flex-wrap items-end gap-3">
        {conflicts > 0 && (
          <>
            <p className="basis-full rounded-md bg-warn-soft p-3 text-sm">{texts.branches.conflicts}</p>
            <Field label={texts.labels.whoseChangeCounts}>
              <Select
                value={prefer ?? ""}
                of={texts.branches.prefer}
                onChange={(event) => setPrefer((event.currentTarget.value || undefined) as Side | undefined)}
              >
                <option value="">{texts.branches.choosePrefer}</option>
              </Select>
            </Field>
          </>
        )}
        <Button kind="primary" disabled={conflicts > 0 && prefer === undefined} onClick={() => setAsked(true)}>
          <GitMerge aria-hidden="true" className="size-4" />
          {texts.labels.merge}
        </Button>
      </div>
      {asked && (
        <Confirm
          title={sentences.mergeInto(into)}
          message={texts.branches.merge}
          name={into}
          danger={false}
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
