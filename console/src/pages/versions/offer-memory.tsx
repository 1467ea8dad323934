import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAgent } from "../../app/connection-context.ts";
import { FormDialog, textOf } from "../../app/form-dialog.tsx";
import { useAgents } from "../../app/use-agents.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Check } from "../../ui/check.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";

/** Offers the memory of an agent to another agent: all of it, or some folders. */
export function OfferMemory({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const { change } = useViewAddress();
  const agents = useAgents();
  const [folders, setFolders] = useState("");
  const others = (agents.data?.agents ?? []).map(({ id }) => id).filter((id) => id !== agent);
  const send = async (values: FormData) => {
    const names = folders
      .split(",")
      .map((name) => name.trim().replace(/\/$/, ""))
      .filter((name) => name !== "");
    const sessions = names.length === 0 && values.get("sessions") !== null;
    const reader = textOf(values, "reader");
    await memory.shares.offer(reader, {
      ...(names.length > 0 ? { folders: names } : {}),
      ...(sessions ? { sessions } : {}),
    });
    return reader;
  };
  return (
    <FormDialog
      title={texts.sharing.share}
      action={texts.sharing.share}
      shownBy="new"
      onClose={() => change({ new: undefined })}
      send={send}
      onSent={async (reader) => {
        await queries.invalidateQueries({ queryKey: ["shares", agent] });
        change({ new: undefined }, true);
        toast(texts.sharing.shared(reader));
      }}
    >
      <p className="text-sm text-fg-2">{others.length === 0 ? texts.branches.noOther : texts.sharing.offerHint}</p>
      <Field label={texts.sharing.shareWith}>
        <Select name="reader" of={others} required disabled={others.length === 0} />
      </Field>
      <Field label={texts.sharing.folders} hint={texts.sharing.foldersHint}>
        <Input
          value={folders}
          placeholder={texts.sharing.foldersExample}
          onChange={(event) => setFolders(event.currentTarget.value)}
        />
      </Field>
      <Check name="sessions" disabled={folders.trim() !== ""} label={texts.sharing.sessions} />
    </FormDialog>
  );
}
