import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Camera } from "lucide-react";
import type { Snapshot } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { FormDialog, textOf } from "../../app/form-dialog.tsx";
import { mayDo } from "../../lib/connection.ts";
import { bytes, counted, dayInput, moment, startOfDay } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Panes } from "../../ui/panes.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { SnapshotView } from "./snapshot-view.tsx";

/** Lists the snapshots of an agent: states of its files and facts that a rollback can return to. */
export function Snapshots({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const { search, change } = useViewAddress();
  const snapshots = useQuery({ queryKey: ["snapshots", agent], queryFn: () => memory.snapshots.list() });
  const all = snapshots.data?.snapshots ?? [];
  const chosen = all.find(({ name }) => name === search.snapshot);
  return (
    <>
      <Panes
        name="snapshots"
        listLabel={texts.labels.snapshots}
        list={
          snapshots.isPending ? (
            <Loading what={texts.snapshots.all} />
          ) : snapshots.error ? (
            <ErrorBox error={snapshots.error} onRetry={() => void snapshots.refetch()} />
          ) : all.length === 0 ? (
            <Empty icon={Camera} title={texts.snapshots.none}>
              {texts.snapshots.noneHint}
            </Empty>
          ) : (
            <List snapshots={all} chosen={search.snapshot} onChoose={(snapshot) => change({ snapshot })} />
          )
        }
        detailLabel={texts.snapshots.one}
        detail={chosen && <SnapshotView key={chosen.name} agent={agent} snapshot={chosen} />}
        placeholder={
          all.length > 0 && (
            <Empty icon={Camera} title={texts.snapshots.choose}>
              {texts.snapshots.chooseHint}
            </Empty>
          )
        }
        onBack={() => change({ snapshot: undefined })}
      />
      {search.new && mayDo(key, "agent:write") && <TakeSnapshot agent={agent} />}
    </>
  );
}

interface ListProps {
  snapshots: readonly Snapshot[];
  chosen: string | undefined;
  onChoose: (name: string) => void;
}

function List({ snapshots, chosen, onChoose }: ListProps) {
  return (
    <VirtualList
      rows={snapshots}
      label={texts.snapshots.list}
      height={60}
      keyOf={({ name }) => name}
      render={({ name, takenAt, expiresAt, files, facts, bytes: size }) => (
        <ListRow
          chosen={name === chosen}
          onChoose={() => onChoose(name)}
          lead={<Camera aria-hidden="true" className="size-4 text-fg-2" />}
          title={name}
          meta={
            <>
              <span>
                {sentences.snapshotHas(counted(files, texts.nouns.file), counted(facts, texts.nouns.fact), bytes(size))}
              </span>
              {expiresAt && <span>{sentences.snapshotExpires(moment(expiresAt))}</span>}
            </>
          }
          end={<RelativeTime at={takenAt} />}
        />
      )}
    />
  );
}

function TakeSnapshot({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const { change } = useViewAddress();
  return (
    <FormDialog
      title={texts.labels.takeASnapshot}
      action={texts.labels.takeASnapshot}
      shownBy="new"
      onClose={() => change({ new: undefined })}
      send={(values) => {
        const expires = textOf(values, "expires");
        return memory.snapshots.take({
          name: textOf(values, "name"),
          ...(expires ? { expiresAt: startOfDay(expires) } : {}),
        });
      }}
      onSent={async ({ name }) => {
        await queries.invalidateQueries({ queryKey: ["snapshots", agent] });
        change({ new: undefined, snapshot: name }, true);
        toast(texts.snapshots.taken(name));
      }}
    >
      <p className="text-sm text-fg-2">{texts.snapshots.noneHint}</p>
      <Field label={texts.labels.name} hint={texts.snapshots.nameHint}>
        <Input
          name="name"
          required
          maxLength={63}
          pattern="[a-z0-9][a-z0-9._\-]*"
          placeholder={texts.snapshots.nameExample}
          autoComplete="off"
        />
      </Field>
      <Field label={texts.labels.expires} hint={texts.snapshots.expiresHint}>
        <Input name="expires" type="date" min={dayInput(-1)} />
      </Field>
    </FormDialog>
  );
}
