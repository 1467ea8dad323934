import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { FormDialog, textOf } from "../../app/form-dialog.tsx";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Select } from "../../ui/select.tsx";

/** Makes an agent with everything that this agent remembers, now or in a snapshot. */
export function MakeBranch({ agent, opened }: { agent: string; opened: boolean }) {
  const memory = useAgent(agent);
  const { client } = useConnection();
  const { search, change } = useViewAddress();
  const [made, setMade] = useState<string>();
  const snapshots = useQuery({ queryKey: ["snapshots", agent], queryFn: () => memory.snapshots.list() });
  const names = snapshots.data?.snapshots.map(({ name }) => name) ?? [];
  return (
    <>
      {made !== undefined && <Copying key={made} origin={agent} made={made} />}
      {opened && (
        <FormDialog
          title={texts.branches.make}
          action={texts.branches.make}
          shownBy="new"
          onClose={() => change({ new: undefined, snapshot: undefined })}
          send={(values) => {
            const snapshot = textOf(values, "snapshot");
            return client.agents.makeBranch(agent, {
              as: textOf(values, "as"),
              ...(snapshot === "" ? {} : { snapshot }),
            });
          }}
          onSent={({ agentId }) => {
            setMade(agentId);
            change({ new: undefined, snapshot: undefined }, true);
          }}
        >
          <p className="text-sm text-fg-2">{texts.branches.makeHint}</p>
          <Field label={texts.labels.newAgent} hint={texts.operator.agents.idHint}>
            <Input name="as" required pattern="[a-z0-9][a-z0-9_\-]*" autoComplete="off" />
          </Field>
          <Field label={texts.labels.asOf}>
            {/* The snapshot in the address can be selected once the list is loaded. */}
            <Select name="snapshot" key={names.join()} defaultValue={search.snapshot ?? ""} of={names}>
              <option value="">{texts.branches.ofNow}</option>
            </Select>
          </Field>
        </FormDialog>
      )}
    </>
  );
}

const EVERY_MS = 1000;

/** Shows how much of a branch has been copied, and then a link to the branch. */
function Copying({ origin, made }: { origin: string; made: string }) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const branch = useQuery({
    queryKey: ["branch", made, "copying"],
    queryFn: async () => {
      const found = await client.agents.branch(made);
      if (found.state === "ready") await queries.invalidateQueries({ queryKey: ["agents"] });
      return found;
    },
    refetchInterval: ({ state }) => (state.data?.state === "ready" || state.error ? false : EVERY_MS),
    staleTime: 0,
  });
  if (branch.error) return <ErrorBox error={branch.error} />;
  return (
    <p role="status" className="rounded-lg border border-border bg-accent-soft p-4">
      {branch.data?.state === "ready" ? (
        <>
          {sentences.branchReady(origin)}{" "}
          <Link
            to="/agents/$agent/versions"
            params={{ agent: made }}
            search={{ view: "branches" }}
            className="font-semibold text-accent underline"
          >
            {made}
          </Link>
        </>
      ) : (
        <>
          {sentences.copying(made)}{" "}
          {branch.data && branch.data.total > 0 && (
            <Progress done={branch.data.copied} total={branch.data.total} label={made} />
          )}
        </>
      )}
    </p>
  );
}
