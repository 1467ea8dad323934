import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ShareTerms } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useAgents } from "../../app/pages.ts";
import { useUnsaved } from "../../app/use-unsaved.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Options } from "../../ui/options.tsx";

/** Offers the memory of an agent to another agent: all of it, or some folders. */
export function OfferMemory({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const agents = useAgents();
  const [folders, setFolders] = useState("");
  const [offered, setOffered] = useState("");
  useUnsaved(folders !== offered);
  const others = (agents.data?.agents ?? []).map(({ id }) => id).filter((id) => id !== agent);
  const offer = useMutation({
    mutationFn: ({ reader, terms }: { reader: string; terms: ShareTerms }) => memory.shares.offer(reader, terms),
    onSuccess: () => {
      setOffered(folders);
      return queries.invalidateQueries({ queryKey: ["shares", agent] });
    },
  });
  if (others.length === 0) return <p className="quiet">{texts.branches.noOther}</p>;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const names = folders
      .split(",")
      .map((name) => name.trim().replace(/\/$/, ""))
      .filter((name) => name !== "");
    const sessions = names.length === 0 && values.get("sessions") !== null;
    const terms = { ...(names.length > 0 ? { folders: names } : {}), ...(sessions ? { sessions } : {}) };
    offer.mutate({ reader: String(values.get("reader")), terms });
  };
  return (
    <>
      <form className="row" onSubmit={submit}>
        <label>
          {texts.labels.offerTo}
          <select name="reader">
            <Options of={others} />
          </select>
        </label>
        <label>
          {texts.sharing.folders}
          <input
            value={folders}
            placeholder={texts.sharing.foldersExample}
            onChange={(event) => setFolders(event.target.value)}
          />
        </label>
        <label className="check">
          <input type="checkbox" name="sessions" disabled={folders.trim() !== ""} />
          {texts.sharing.sessions}
        </label>
        <button type="submit" disabled={offer.isPending}>
          {texts.labels.offer}
        </button>
        {offer.error && <ErrorBox error={offer.error} />}
      </form>
      <p className="quiet">{texts.sharing.offerHint}</p>
    </>
  );
}
