import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Agent, ErasureReceipt } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { FormDialog, textOf } from "../../app/form-dialog.tsx";
import { mayManage } from "../../lib/connection.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Receipt } from "../../ui/receipt.tsx";
import { ArchiveImport } from "./archive-import.tsx";
import { LimitFields, limitsOf } from "./limit-fields.tsx";

interface AgentDialogsProps {
  agents: readonly Agent[];
  erasing: Agent | undefined;
  onErased: () => void;
}

/** The forms of the list of agents, and the question before an agent is erased. */
export function AgentDialogs({ agents, erasing, onErased }: AgentDialogsProps) {
  const { client, key } = useConnection();
  const queries = useQueryClient();
  const { search, change } = useViewAddress();
  const [receipt, setReceipt] = useState<ErasureReceipt>();
  const reload = () => Promise.all(["table", "agents"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
  const edited = agents.find(({ id }) => id === search.edit);
  if (!mayManage(key)) return null;
  return (
    <>
      {search.new === "agent" && <NewAgent onMade={reload} />}
      {search.new === "import" && <ArchiveImport onDone={reload} />}
      {edited && <EditAgent agent={edited} onDone={reload} onClose={() => change({ edit: undefined })} />}
      {erasing && (
        <Confirm
          title={texts.labels.eraseTheAgent}
          message={texts.erasure.agent}
          name={erasing.id}
          action={texts.labels.erase}
          onConfirm={async () => {
            setReceipt(await client.agents.erase(erasing.id));
            await reload();
          }}
          onClose={onErased}
        />
      )}
      {receipt && <Receipt receipt={receipt} onClose={() => setReceipt(undefined)} />}
    </>
  );
}

function NewAgent({ onMade }: { onMade: () => Promise<unknown> }) {
  const { client } = useConnection();
  const { change } = useViewAddress();
  const close = () => change({ new: undefined });
  const { agents } = texts.operator;
  return (
    <FormDialog
      title={texts.labels.newAgent}
      action={texts.labels.create}
      shownBy="new"
      onClose={close}
      send={(values) => {
        const name = textOf(values, "name");
        return client.agents.create({ id: textOf(values, "id"), ...(name === "" ? {} : { name }) });
      }}
      onSent={async ({ id }) => {
        await onMade();
        change({ new: undefined }, true);
        toast(agents.created(id));
      }}
    >
      <Field label={agents.id} hint={agents.idHint}>
        <Input name="id" required maxLength={63} pattern="[a-z0-9][a-z0-9_\-]*" autoComplete="off" />
      </Field>
      <Field label={agents.name}>
        <Input name="name" maxLength={200} dir="auto" />
      </Field>
    </FormDialog>
  );
}

interface EditAgentProps {
  agent: Agent;
  onDone: () => Promise<unknown>;
  onClose: () => void;
}

function EditAgent({ agent: { id, name, limits }, onDone, onClose }: EditAgentProps) {
  const { client } = useConnection();
  const { change } = useViewAddress();
  const { agents } = texts.operator;
  return (
    <FormDialog
      title={agents.editOf(id)}
      action={texts.labels.save}
      shownBy="edit"
      onClose={onClose}
      send={(values) => client.agents.change(id, { name: textOf(values, "name"), limits: limitsOf(values) })}
      onSent={async () => {
        await onDone();
        change({ edit: undefined }, true);
        toast(texts.labels.saved);
      }}
    >
      <Field label={agents.name}>
        <Input name="name" maxLength={200} defaultValue={name} dir="auto" />
      </Field>
      <LimitFields limits={limits} />
    </FormDialog>
  );
}
