import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Share } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { useViewAddress } from "../../app/view-address.ts";
import { mayManage, mayRead } from "../../lib/connection.ts";
import { moment } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { OfferMemory } from "./offer-memory.tsx";
import { TakeMemory } from "./take-memory.tsx";

type Side = "shares" | "reads";

/** Shows the memory that an agent offers to others, and the memories of others that it reads. */
export function SharingPage() {
  const { agent } = useViewAddress();
  const { key } = useConnection();
  return (
    <>
      <h1>{texts.pages.sharing}</h1>
      <section>
        <h2>{texts.sharing.offered}</h2>
        <Shares key={agent} agent={agent} side="shares" none={texts.sharing.noneOffered} />
        {mayManage(key) && <OfferMemory key={agent} agent={agent} />}
      </section>
      <section>
        <h2>{texts.sharing.reads}</h2>
        <p className="quiet">{texts.sharing.readsHint}</p>
        <Shares key={agent} agent={agent} side="reads" none={texts.sharing.noneRead} />
      </section>
    </>
  );
}

function Shares({ agent, side, none }: { agent: string; side: Side; none: string }) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const queries = useQueryClient();
  const [ending, setEnding] = useState<string>();
  const shares = useQuery({ queryKey: [side, agent], queryFn: () => memory[side].list() });
  if (shares.isPending) return <Loading what={texts.sharing.theShares} />;
  if (shares.error) return <ErrorBox error={shares.error} onRetry={() => void shares.refetch()} />;
  const all = shares.data.shares;
  const end = async (other: string) => {
    await (side === "shares" ? memory.shares.withdraw(other) : memory.reads.leave(other));
    await queries.invalidateQueries({ queryKey: [side, agent] });
  };
  const words = side === "shares" ? WITHDRAW : LEAVE;
  if (all.length === 0) return <Empty title={none} />;
  return (
    <>
      <ul className="chunks">
        {all.map((share) => (
          <li key={share.agentId} className="card">
            <p>
              <Other id={share.agentId} />
            </p>
            <p className="quiet">{termsOf(share)}</p>
            {mayManage(key) && (
              <div className="row">
                {side === "reads" && share.takenAt === null && <TakeMemory agent={agent} sharer={share.agentId} />}
                {(side === "shares" || share.takenAt !== null) && (
                  <button type="button" className="danger" onClick={() => setEnding(share.agentId)}>
                    {words.action}
                  </button>
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
      {ending !== undefined && (
        <Confirm {...words} name={ending} onConfirm={() => end(ending)} onClose={() => setEnding(undefined)} />
      )}
    </>
  );
}

const WITHDRAW = {
  title: texts.labels.withdrawTheOffer,
  message: texts.sharing.withdraw,
  action: texts.labels.withdraw,
};
const LEAVE = { title: texts.labels.leaveTheMemory, message: texts.sharing.leave, action: texts.labels.leave };

function Other({ id }: { id: string }) {
  const { key } = useConnection();
  if (!mayRead(key, id)) return <strong>{id}</strong>;
  return (
    <Link to="/agents/$agent/sharing" params={{ agent: id }}>
      {id}
    </Link>
  );
}

function termsOf({ folders, sessions, offeredAt, takenAt }: Share): string {
  const all = sessions ? texts.sharing.everythingAndSessions : texts.sharing.everything;
  const what = folders.length > 0 ? sentences.folders(folders.join(", ")) : all;
  const taken = takenAt === null ? sentences.notTaken : sentences.taken(moment(takenAt));
  return `${sentences.sharedWhat(what, moment(offeredAt))}${taken}`;
}
