import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { BranchInput } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { useUnsavedFields } from "../../app/use-unsaved.ts";
import { useViewAddress } from "../../app/view-address.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Options } from "../../ui/options.tsx";
import { Progress } from "../../ui/progress.tsx";

/** Makes an agent with everything that this agent remembers, now or in a snapshot. */
export function MakeBranch({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const { client } = useConnection();
  const { search } = useViewAddress();
  const [made, setMade] = useState<string>();
  const { fields, done } = useUnsavedFields();
  const snapshots = useQuery({ queryKey: ["snapshots", agent], queryFn: () => memory.snapshots.list() });
  const names = snapshots.data?.snapshots.map(({ name }) => name) ?? [];
  const make = useMutation({
    mutationFn: (input: BranchInput) => client.agents.makeBranch(agent, input),
    onSuccess: ({ agentId }) => {
      done();
      setMade(agentId);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const snapshot = String(values.get("snapshot"));
    make.mutate({ as: String(values.get("as")), ...(snapshot === "" ? {} : { snapshot }) });
  };
  return (
    <section>
      <h2>{texts.branches.make}</h2>
      <p className="quiet">{texts.branches.makeHint}</p>
      <form className="row" onSubmit={submit} {...fields}>
        <label>
          {texts.labels.newAgent}
          <input name="as" required pattern="[a-z0-9][a-z0-9_\-]*" />
        </label>
        <label>
          {texts.labels.asOf}
          {/* The snapshot in the address can be selected once the list is loaded. */}
          <select name="snapshot" key={names.join()} defaultValue={search.snapshot ?? ""}>
            <option value="">{texts.branches.ofNow}</option>
            <Options of={names} />
          </select>
        </label>
        <button type="submit" disabled={make.isPending}>
          {texts.labels.make}
        </button>
        {make.error && <ErrorBox error={make.error} />}
      </form>
      {made !== undefined && <Copying key={made} origin={agent} made={made} />}
    </section>
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
  if (branch.data?.state !== "ready")
    return (
      <p role="status">
        {sentences.copying(made)}{" "}
        {branch.data && branch.data.total > 0 && (
          <Progress done={branch.data.copied} total={branch.data.total} label={made} />
        )}
      </p>
    );
  return (
    <p role="status">
      {sentences.branchReady(origin)}{" "}
      <Link to="/agents/$agent/branches" params={{ agent: made }}>
        {made}
      </Link>
    </p>
  );
}
