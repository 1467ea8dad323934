import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { Snapshot, SnapshotInput } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { useUnsavedFields } from "../../app/use-unsaved.ts";
import { useViewAddress } from "../../app/view-address.ts";
import { mayDo, mayManage } from "../../lib/connection.ts";
import { bytes, counted, dayInput, moment, startOfDay } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { SnapshotDifference } from "./snapshot-difference.tsx";

/** Lists the snapshots of an agent: states of its files and facts that a rollback can return to. */
export function Snapshots({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const [undo, setUndo] = useState<{ name: string; undo: string }>();
  const snapshots = useQuery({ queryKey: ["snapshots", agent], queryFn: () => memory.snapshots.list() });
  return (
    <section aria-label={texts.labels.snapshots}>
      {mayDo(key, "agent:write") && <TakeSnapshot agent={agent} />}
      {undo && (
        <p role="status" className="card">
          {sentences.rolledBack(undo.name, undo.undo)}
        </p>
      )}
      {snapshots.isPending && <Loading what={texts.snapshots.all} />}
      {snapshots.error && <ErrorBox error={snapshots.error} onRetry={() => void snapshots.refetch()} />}
      {snapshots.data?.snapshots.length === 0 && <Empty title={texts.snapshots.none}>{texts.snapshots.noneHint}</Empty>}
      <ol className="chunks">
        {snapshots.data?.snapshots.map((one) => (
          <SnapshotCard key={one.name} agent={agent} snapshot={one} onRolledBack={setUndo} />
        ))}
      </ol>
    </section>
  );
}

interface SnapshotCardProps {
  agent: string;
  snapshot: Snapshot;
  onRolledBack: (to: { name: string; undo: string }) => void;
}

function SnapshotCard({ agent, snapshot, onRolledBack }: SnapshotCardProps) {
  const { name, takenAt, takenBy, expiresAt, files, facts, bytes: size } = snapshot;
  const memory = useAgent(agent);
  const { key } = useConnection();
  const queries = useQueryClient();
  const { search, change } = useViewAddress();
  const [erasing, setErasing] = useState(false);
  const compared = search.snapshot === name;
  return (
    <li className="card">
      <h2>{name}</h2>
      <p className="quiet">
        {sentences.snapshotTaken(moment(takenAt), takenBy)}
        {expiresAt && sentences.snapshotExpires(moment(expiresAt))}
        <br />
        {sentences.snapshotHas(counted(files, texts.nouns.file), counted(facts, texts.nouns.fact), bytes(size))}
      </p>
      <div className="row">
        <button type="button" aria-pressed={compared} onClick={() => change({ snapshot: compared ? undefined : name })}>
          {texts.labels.compareWithNow}
        </button>
        {mayManage(key) && (
          <Link to="/agents/$agent/branches" params={{ agent }} search={{ snapshot: name } as never}>
            {texts.labels.makeABranch}
          </Link>
        )}
        {mayDo(key, "tenant") && (
          <button type="button" className="danger" onClick={() => setErasing(true)}>
            {texts.labels.delete}
          </button>
        )}
      </div>
      {compared && <SnapshotDifference agent={agent} name={name} onRolledBack={onRolledBack} />}
      {erasing && (
        <Confirm
          title={texts.labels.deleteTheSnapshot}
          message={texts.snapshots.erase}
          name={name}
          action={texts.labels.delete}
          onConfirm={async () => {
            await memory.snapshots.delete(name);
            await queries.invalidateQueries({ queryKey: ["snapshots", agent] });
          }}
          onClose={() => setErasing(false)}
        />
      )}
    </li>
  );
}

function TakeSnapshot({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const { fields } = useUnsavedFields("view");
  const queries = useQueryClient();
  const take = useMutation({
    mutationFn: (input: SnapshotInput) => memory.snapshots.take(input),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["snapshots", agent] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = new FormData(form);
    const expires = String(values.get("expires"));
    const input = { name: String(values.get("name")), ...(expires ? { expiresAt: startOfDay(expires) } : {}) };
    take.mutate(input, { onSuccess: () => form.reset() });
  };
  return (
    <form className="row" onSubmit={submit} {...fields}>
      <label>
        {texts.labels.name}
        <input
          name="name"
          required
          maxLength={63}
          pattern="[a-z0-9][a-z0-9._\-]*"
          placeholder={texts.snapshots.nameExample}
          title={texts.snapshots.nameHint}
        />
      </label>
      <label>
        {texts.labels.expires}
        <input name="expires" type="date" min={dayInput(-1)} />
      </label>
      <button type="submit" disabled={take.isPending}>
        {texts.labels.takeASnapshot}
      </button>
      {take.error && <ErrorBox error={take.error} />}
    </form>
  );
}
