import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Message } from "recollect/client";
import { useAgent, useConnection } from "../app/connection-context.ts";
import { useViewAddress } from "../app/view-address.ts";
import { mayDo } from "../lib/connection.ts";
import { counted, moment } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { useMore } from "../ui/use-more.ts";
import { usePages } from "../ui/use-pages.ts";
import { VirtualList } from "../ui/virtual-list.tsx";

const PAGE = 200;

/** Lists the conversations of an agent, and shows one of them. */
export function SessionsPage() {
  const { agent, search, change } = useViewAddress();
  const memory = useAgent(agent);
  const sessions = usePages(["sessions", agent], (cursor) => memory.sessions.list({ limit: PAGE, cursor }));
  const more = useMore(sessions);
  const rows = useMemo(() => sessions.data?.pages.flatMap((page) => page.sessions) ?? [], [sessions.data]);
  const { session } = search;
  return (
    <div className="two">
      <section aria-label={texts.labels.conversations}>
        <h1>{texts.labels.conversations}</h1>
        {sessions.isPending && <Loading what={texts.labels.theConversations} />}
        {sessions.error && <ErrorBox error={sessions.error} />}
        {sessions.data && rows.length === 0 && <Empty title={texts.sessions.none}>{texts.sessions.noneHint}</Empty>}
        {rows.length > 0 && (
          <VirtualList
            rows={rows}
            label={texts.labels.listOfConversations}
            height={44}
            keyOf={(row) => row.key}
            onEnd={more}
            render={(row) => (
              <button
                type="button"
                className="row-button"
                aria-current={isNamed(row.key, session) || undefined}
                onClick={() => change({ session: row.key, after: undefined })}
              >
                <span dir="auto">{row.key}</span>
                <span className="quiet">
                  {counted(row.messages, texts.nouns.message)} · {moment(row.lastMessageAt)}
                </span>
              </button>
            )}
          />
        )}
      </section>
      <section aria-label={texts.labels.conversation}>
        {session ? (
          <Conversation
            key={`${session} ${search.after}`}
            agent={agent}
            session={session}
            after={Number(search.after ?? 0)}
          />
        ) : (
          <Empty title={texts.sessions.choose} />
        )}
      </section>
    </div>
  );
}

/**
 * Returns whether the address names a conversation, either by its whole key or by the part of the
 * key after `agent:<id>:`.
 */
function isNamed(key: string, named: string | undefined): boolean {
  return key === named || key.replace(/^agent:[^:]+:/, "") === named;
}

/**
 * Shows the messages of a conversation in order.
 *
 * @param after the number of the message before the first one that is shown
 */
function Conversation({ agent, session, after }: { agent: string; session: string; after: number }) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const { change, search } = useViewAddress();
  const queries = useQueryClient();
  const [erasing, setErasing] = useState(false);
  const messages = useInfiniteQuery({
    queryKey: ["session", agent, session, after],
    queryFn: ({ pageParam }) => memory.sessions.get(session, { after: pageParam, limit: PAGE }),
    initialPageParam: after,
    getNextPageParam: (page) => page.nextAfter,
  });
  const more = useMore(messages);
  const rows = useMemo(() => messages.data?.pages.flatMap((page) => page.messages) ?? [], [messages.data]);
  const path = messages.data?.pages[0]?.session.path;
  const windows = useWindows(agent, path, search.windows === "true");
  if (messages.isPending) return <Loading what={session} />;
  if (messages.error) return <ErrorBox error={messages.error} onRetry={() => void messages.refetch()} />;
  const total = messages.data.pages[0]?.session.messages ?? 0;
  return (
    <article>
      <h2 dir="auto">{session}</h2>
      <div className="row">
        <span className="quiet">{counted(total, texts.nouns.message)}</span>
        {after > 0 && (
          <button type="button" onClick={() => change({ after: undefined })}>
            {texts.labels.fromTheBeginning}
          </button>
        )}
        <label className="check">
          <input
            type="checkbox"
            checked={search.windows === "true"}
            onChange={(event) => change({ windows: event.target.checked ? "true" : undefined }, true)}
          />
          {texts.labels.showWindows}
        </label>
        {mayDo(key, "agent:write") && (
          <button type="button" className="danger" onClick={() => setErasing(true)}>
            {texts.labels.delete}
          </button>
        )}
      </div>
      <VirtualList
        rows={rows}
        label={texts.labels.messages}
        height={80}
        keyOf={(message) => String(message.number)}
        onEnd={more}
        render={(message) => <Said message={message} windows={windows.get(message.number)} />}
      />
      {erasing && (
        <Confirm
          title={texts.labels.deleteTheConversation}
          message={texts.sessions.erase}
          name={session}
          action={texts.labels.delete}
          onConfirm={async () => {
            await memory.sessions.delete(session);
            await queries.invalidateQueries({ queryKey: ["sessions", agent] });
            change({ session: undefined, after: undefined });
          }}
          onClose={() => setErasing(false)}
        />
      )}
    </article>
  );
}

/**
 * The maximum number of pages of windows to read, each with up to 1,000 windows. A longer
 * conversation is read in pieces anyway.
 */
const MOST_WINDOW_PAGES = 30;

/**
 * Returns the windows in which a conversation is indexed: for each window, the number of its last
 * message by the number of its first.
 */
function useWindows(agent: string, path: string | undefined, shown: boolean): ReadonlyMap<number, number> {
  const memory = useAgent(agent);
  const windows = useQuery({
    queryKey: ["windows", agent, path],
    enabled: shown && path !== undefined,
    queryFn: async () => {
      const found = new Map<number, number>();
      let cursor: string | undefined;
      for (let page = 0; page < MOST_WINDOW_PAGES; page++) {
        const { chunks, nextCursor } = await memory.files.chunks(path ?? "", { cursor, limit: 1000 });
        for (const { messages } of chunks) if (messages) found.set(messages.from, messages.to);
        if (nextCursor === undefined) break;
        cursor = nextCursor;
      }
      return found;
    },
  });
  return (shown && windows.data) || NO_WINDOWS;
}

const NO_WINDOWS: ReadonlyMap<number, number> = new Map();

function Said({
  message: { number, role, name, text, at },
  windows: until,
}: {
  message: Message;
  windows: number | undefined;
}) {
  return (
    <div className={`said ${role}`}>
      {until !== undefined && <p className="window">{sentences.window(number, until)}</p>}
      <p className="quiet">
        {number} · {name ?? role} · {moment(at)}
      </p>
      <p className="text" dir="auto">
        {text}
      </p>
    </div>
  );
}
