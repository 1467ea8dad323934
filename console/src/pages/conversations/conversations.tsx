import { MessageSquare, Search } from "lucide-react";
import { useMemo } from "react";
import type { ListedSession } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useStatus } from "../../app/use-status.ts";
import { channelOf, nameOfSession } from "../../lib/channel.ts";
import { count, shortDay } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Chips, ChoiceChip } from "../../ui/filter-chip.tsx";
import { SearchInput } from "../../ui/input.tsx";
import { notLoaded } from "../../ui/not-loaded.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panes } from "../../ui/panes.tsx";
import { useMore } from "../../ui/use-more.ts";
import { usePages } from "../../ui/use-pages.ts";
import { useShortcuts } from "../../ui/use-shortcuts.ts";
import { useTypedFilter } from "../../ui/use-typed-filter.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { Conversation } from "./conversation.tsx";
import { ConversationRow } from "./conversation-row.tsx";

const PAGE = 60;

/** Lists the conversations of an agent, the latest first, and shows one of them. */
export function ConversationsPage() {
  const { agent, search, change } = useViewAddress();
  const status = useStatus(agent);
  const { session } = search;
  const [typed, setTyped] = useTypedFilter(search.q, (q) => change({ q }, true));
  const list = useConversations(agent, search);
  const channels = [...new Set(list.rows.map(({ session: name }) => channelOf(name)))].filter((one) => one !== "");
  const people = [...new Set(list.rows.flatMap(({ details }) => details?.people ?? []))];
  const chip = (name: string, label: string, values: readonly string[]) => (
    <ChoiceChip
      label={label}
      shown={search[name]}
      value={search[name] ?? ""}
      free
      options={values.map((value) => ({ value, label: value }))}
      onChoose={(value) => change({ [name]: value })}
      onClear={() => change({ [name]: undefined })}
    />
  );
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={texts.places.conversations}
        note={status.data && count(status.data.sessions)}
        inDetail={session !== undefined}
      >
        <SearchInput
          icon={Search}
          value={typed}
          onText={setTyped}
          data-filter=""
          hint="/"
          aria-label={texts.conversations.filter}
          placeholder={texts.conversations.filter}
          className="min-w-56 max-md:w-full md:w-80"
        />
        <Chips label={texts.memories.filters}>
          {(search.channel || channels.length > 0) && chip("channel", texts.conversations.channel, channels)}
          {(search.person || people.length > 0) && chip("person", texts.memories.person, people)}
        </Chips>
      </PageHeader>
      <Panes
        name="conversations"
        listLabel={texts.places.conversations}
        detailLabel={texts.labels.conversation}
        onBack={() => change({ session: undefined, after: undefined })}
        detail={session && <Conversation key={session} agent={agent} session={session} after={search.after} />}
        placeholder={list.rows.length > 0 && <Empty icon={MessageSquare} title={texts.sessions.choose} />}
        list={<List list={list} />}
      />
    </div>
  );
}

function useConversations(agent: string, { q, channel, person }: Readonly<Record<string, string>>) {
  const memory = useAgent(agent);
  const filter = { ...(q ? { q } : {}), ...(channel ? { channel } : {}), ...(person ? { person } : {}) };
  const pages = usePages(["sessions", agent, filter], (cursor) =>
    memory.sessions.list({ ...filter, order: "recent", details: true, limit: PAGE, cursor }),
  );
  const more = useMore(pages);
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.sessions) ?? [], [pages.data]);
  return { rows, more, isPending: pages.isPending, error: pages.error, retry: () => void pages.refetch() };
}

function List({ list }: { list: ReturnType<typeof useConversations> }) {
  const { agent, search, change } = useViewAddress();
  const chosen = list.rows.findIndex((row) => isNamed(row, search.session));
  const open = (row: ListedSession | undefined) =>
    row && change({ session: row.session, after: row.details?.found && String(row.details.found.message - 1) });
  const walk = (step: number) => open(list.rows[Math.max(0, Math.min(list.rows.length - 1, chosen + step))]);
  useShortcuts({ j: () => walk(1), k: () => walk(-1) });
  const waiting = notLoaded(list, texts.labels.theConversations);
  if (waiting) return waiting;
  if (list.rows.length === 0 && (search.q || search.channel || search.person))
    return (
      <Empty icon={MessageSquare} title={texts.conversations.noneFound}>
        <Button onClick={() => change({ q: undefined, channel: undefined, person: undefined })}>
          {texts.memories.clearFilters}
        </Button>
      </Empty>
    );
  if (list.rows.length === 0)
    return (
      <Empty icon={MessageSquare} title={texts.sessions.none}>
        {texts.sessions.noneHint(agent)}
      </Empty>
    );
  return (
    <VirtualList
      rows={list.rows}
      label={texts.labels.listOfConversations}
      height={76}
      keyOf={(row) => row.key}
      onEnd={list.more}
      showing={list.rows[chosen]?.key}
      render={(row, at) => (
        <ConversationRow
          row={row}
          newDay={dayBefore(list.rows, at) === shortDay(row.lastMessageAt) ? undefined : row.lastMessageAt}
          chosen={at === chosen}
          reachable={at === Math.max(0, chosen)}
          onChoose={() => open(row)}
        />
      )}
    />
  );
}

/** Returns the day of the row above, which heads its group. */
function dayBefore(rows: readonly ListedSession[], at: number): string | undefined {
  const before = rows[at - 1];
  return before && shortDay(before.lastMessageAt);
}

/**
 * Returns whether the address names a conversation, either by its whole key or by the part of the
 * key after `agent:<id>:`.
 */
function isNamed({ key }: ListedSession, named: string | undefined): boolean {
  return named !== undefined && (key === named || nameOfSession(key) === named);
}
