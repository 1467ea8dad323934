import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowDownToLine, ArrowUpToLine, Brackets, Ellipsis, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import type { Fact } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { nameOfSession } from "../../lib/channel.ts";
import { mayDo } from "../../lib/connection.ts";
import { useDelayedIds } from "../../lib/delayed.ts";
import { counted } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Menu } from "../../ui/menu.tsx";
import { factKey } from "../memories/use-facts.ts";
import { FindInConversation } from "./find-in-conversation.tsx";
import { JumpToDay } from "./jump-to-day.tsx";
import { Messages } from "./messages.tsx";
import { useMessages } from "./use-messages.ts";
import { useWindows } from "./use-windows.ts";

interface ConversationProps {
  agent: string;
  session: string;
  /** The number of the message before the first one; undefined: the end of the conversation. */
  after: string | undefined;
}

/** Shows a conversation, and beside its messages the facts that were captured from them. */
export function Conversation({ agent, session, after }: ConversationProps) {
  const { search } = useViewAddress();
  const messages = useMessages(agent, session, after);
  const rows = useMemo(() => messages.data?.pages.flatMap((page) => page.messages) ?? [], [messages.data]);
  const summary = messages.data?.pages[0]?.session;
  const windows = useWindows(agent, summary?.path, search.windows === "true");
  const facts = useCapturedFacts(agent, session);
  if (messages.isPending)
    return (
      <div className="p-6">
        <Loading what={nameOfSession(session)} lines={8} />
      </div>
    );
  if (messages.error && rows.length === 0)
    return (
      <div className="p-6">
        <ErrorBox error={messages.error} onRetry={() => void messages.refetch()} />
      </div>
    );
  return (
    <article className="flex h-full flex-col">
      <Head agent={agent} session={session} total={summary?.messages ?? 0} path={summary?.path} />
      <Messages
        key={after}
        agent={agent}
        rows={rows}
        user={summary?.scope.user}
        windows={windows}
        facts={facts}
        chosen={after === undefined ? undefined : Number(after) + 1}
        onStart={
          messages.hasPreviousPage && !messages.isFetching
            ? () => void messages.fetchPreviousPage({ cancelRefetch: false })
            : undefined
        }
        onEnd={
          messages.hasNextPage && !messages.isFetching
            ? () => void messages.fetchNextPage({ cancelRefetch: false })
            : undefined
        }
      />
    </article>
  );
}

/** Reads the facts that come from a conversation, by the number of their message. */
function useCapturedFacts(agent: string, session: string): ReadonlyMap<number, readonly Fact[]> {
  const memory = useAgent(agent);
  const delayed = useDelayedIds();
  const found = useQuery({
    queryKey: ["facts", agent, "of", session],
    queryFn: () => memory.facts.list({ source: session, all: true, limit: 200 }),
    retry: false,
  });
  return useMemo(() => {
    const facts = new Map<number, Fact[]>();
    for (const fact of found.data?.facts ?? []) {
      const number = fact.source.kind === "message" ? fact.source.message : undefined;
      if (number === undefined || delayed.has(factKey(agent, fact.id))) continue;
      facts.set(number, [...(facts.get(number) ?? []), fact]);
    }
    return facts;
  }, [found.data, delayed, agent]);
}

interface HeadProps {
  agent: string;
  session: string;
  total: number;
  path: string | undefined;
}

function Head({ agent, session, total, path }: HeadProps) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const queries = useQueryClient();
  const { search, change } = useViewAddress();
  const [erasing, setErasing] = useState(false);
  const withWindows = search.windows === "true";
  return (
    <header className="flex items-center gap-1 border-b border-border px-5 py-2 max-md:px-3">
      <span className="min-w-0 grow">
        <h2 dir="auto" className="text-base font-semibold [overflow-wrap:anywhere]">
          {nameOfSession(session)}
        </h2>
        <p className="text-xs text-fg-2">{counted(total, texts.nouns.message)}</p>
      </span>
      {path && <FindInConversation agent={agent} path={path} />}
      <JumpToDay agent={agent} session={session} total={total} />
      <Menu
        label={texts.actions.more}
        trigger={(props) => (
          <Button {...props} kind="ghost" size="icon" tip={texts.actions.more}>
            <Ellipsis className="size-4" />
          </Button>
        )}
        items={[
          { label: texts.labels.fromTheBeginning, icon: ArrowUpToLine, onChoose: () => change({ after: "0" }) },
          { label: texts.conversations.newest, icon: ArrowDownToLine, onChoose: () => change({ after: undefined }) },
          {
            label: withWindows ? texts.conversations.hideWindows : texts.labels.showWindows,
            icon: Brackets,
            onChoose: () => change({ windows: withWindows ? undefined : "true" }, true),
          },
          mayDo(key, "agent:write") && {
            label: texts.labels.deleteTheConversation,
            icon: Trash2,
            danger: true,
            onChoose: () => setErasing(true),
          },
        ]}
      />
      {erasing && (
        <Confirm
          title={texts.labels.deleteTheConversation}
          message={texts.sessions.erase}
          danger
          action={texts.labels.delete}
          onConfirm={async () => {
            await memory.sessions.delete(session);
            await queries.invalidateQueries({ queryKey: ["sessions", agent] });
            change({ session: undefined, after: undefined });
          }}
          onClose={() => setErasing(false)}
        />
      )}
    </header>
  );
}
