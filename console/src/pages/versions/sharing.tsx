import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Share } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { mayManage, mayRead, messageOf } from "../../lib/connection.ts";
import { moment } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { OfferMemory } from "./offer-memory.tsx";

type Side = "shares" | "reads";

/** Shows the memory that an agent offers to others, and the memories of others that it reads. */
export function SharingPart({ agent }: { agent: string }) {
  const { key } = useConnection();
  const { search } = useViewAddress();
  return (
    <Page width="read">
      <Section title={texts.sharing.offered} note={texts.sharing.offerHint}>
        <Shares agent={agent} side="shares" none={texts.sharing.noneOffered} />
      </Section>
      <Section title={texts.sharing.reads} note={texts.sharing.readsHint}>
        <Shares agent={agent} side="reads" none={texts.sharing.noneRead} />
      </Section>
      {search.new && mayManage(key) && <OfferMemory agent={agent} />}
    </Page>
  );
}

function Shares({ agent, side, none }: { agent: string; side: Side; none: string }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const [ending, setEnding] = useState<string>();
  const shares = useQuery({ queryKey: [side, agent], queryFn: () => memory[side].list() });
  const reload = () => queries.invalidateQueries({ queryKey: [side, agent] });
  const tried = async (action: () => Promise<unknown>, said: string, undo?: () => Promise<unknown>) => {
    try {
      await action();
      await reload();
      toast(said, { undo });
    } catch (error) {
      toast(messageOf(error), { failed: true });
    }
  };
  const accept = (other: string): Promise<void> =>
    tried(
      () => memory.reads.take(other),
      texts.sharing.accepted(other),
      () => leave(other),
    );
  const leave = (other: string): Promise<void> =>
    tried(
      () => memory.reads.leave(other),
      texts.sharing.left(other),
      () => accept(other),
    );
  if (shares.isPending) return <Loading what={texts.sharing.theShares} />;
  if (shares.error) return <ErrorBox error={shares.error} onRetry={() => void shares.refetch()} />;
  if (shares.data.shares.length === 0) return <p className="text-sm text-fg-2">{none}</p>;
  return (
    <>
      <ul className="flex flex-col divide-y divide-border">
        {shares.data.shares.map((share) => (
          <ShareRow
            key={share.agentId}
            share={share}
            side={side}
            onAccept={() => void accept(share.agentId)}
            onEnd={() => (side === "reads" ? void leave(share.agentId) : setEnding(share.agentId))}
          />
        ))}
      </ul>
      {ending !== undefined && (
        <Confirm
          title={texts.sharing.stopSharing}
          message={texts.sharing.withdraw(ending)}
          action={texts.sharing.stopSharing}
          danger
          onConfirm={async () => {
            await memory.shares.withdraw(ending);
            await reload();
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  );
}

interface ShareRowProps {
  share: Share;
  side: Side;
  onAccept: () => void;
  onEnd: () => void;
}

function ShareRow({ share, side, onAccept, onEnd }: ShareRowProps) {
  const { key } = useConnection();
  const isTaken = share.takenAt !== null;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="flex min-w-0 grow flex-col gap-0.5">
        <span>
          <Other id={share.agentId} />
        </span>
        <span className={isTaken ? "text-sm text-fg-2" : "text-sm text-warn"}>{termsOf(share)}</span>
      </div>
      {mayManage(key) && (
        <span className="flex gap-2">
          {side === "reads" && !isTaken && (
            <Button kind="primary" onClick={onAccept}>
              {texts.sharing.accept}
            </Button>
          )}
          {(side === "shares" || isTaken) && (
            <Button onClick={onEnd}>{side === "shares" ? texts.sharing.stopSharing : texts.sharing.stopReading}</Button>
          )}
        </span>
      )}
    </li>
  );
}

function Other({ id }: { id: string }) {
  const { key } = useConnection();
  if (!mayRead(key, id)) return <strong>{id}</strong>;
  return (
    <Link
      to="/agents/$agent/versions"
      params={{ agent: id }}
      search={{ view: "sharing" }}
      className="font-semibold text-accent hover:underline"
    >
      {id}
    </Link>
  );
}

function termsOf({ folders, sessions, offeredAt, takenAt }: Share): string {
  const all = sessions ? texts.sharing.everythingAndSessions : texts.sharing.everything;
  const what = folders.length > 0 ? sentences.folders(folders.join(", "), folders.length > 1) : all;
  const taken = takenAt === null ? sentences.notTaken : sentences.taken(moment(takenAt));
  return `${sentences.sharedWhat(what, moment(offeredAt))}${taken}`;
}
