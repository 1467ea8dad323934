import { MessageSquare } from "lucide-react";
import type { ListedSession } from "recollect/client";
import { nameOfSession } from "../../lib/channel.ts";
import { counted, longDay, timeOfDay } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { ListRow } from "../../ui/list-row.tsx";

interface ConversationRowProps {
  row: ListedSession;
  /** The time whose day heads the rows from this one on; undefined: the day of the row above. */
  newDay: string | undefined;
  chosen: boolean;
  reachable: boolean;
  onChoose: () => void;
}

/** A conversation in a list: who spoke, the last words, and when. */
export function ConversationRow({ row, newDay, chosen, reachable, onChoose }: ConversationRowProps) {
  const { session, scope, details, messages, lastMessageAt } = row;
  const people = details?.people.join(", ");
  const name = nameOfSession(session);
  const below = [
    people ? name : scope?.user,
    counted(messages, texts.nouns.message),
    details?.facts ? counted(details.facts, texts.nouns.fact) : "",
  ];
  return (
    <>
      {newDay && (
        <p className="border-b border-border bg-sunken px-5 py-1 text-xs font-semibold text-fg-2 max-md:px-4">
          {longDay(newDay)}
        </p>
      )}
      <ListRow
        chosen={chosen}
        reachable={reachable}
        onChoose={onChoose}
        lead={<MessageSquare aria-hidden="true" className="size-4 text-chat" />}
        title={
          <span className="font-semibold" dir="auto">
            {people || name}
          </span>
        }
        end={timeOfDay(lastMessageAt)}
        meta={
          <>
            <span dir="auto" className="line-clamp-2 w-full text-sm [overflow-wrap:anywhere]">
              {details?.found?.text ?? details?.lastText}
            </span>
            <span className="tabular [overflow-wrap:anywhere]">{below.filter(Boolean).join(" · ")}</span>
          </>
        }
      />
    </>
  );
}
