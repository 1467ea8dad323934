import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Change } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { longDay, startOfDay } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { useMore } from "../../ui/use-more.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { ChangeRow } from "./change-row.tsx";

const PAGE = 50;
/** While only the newest page is shown, it is read again after this time. */
const EVERY_MS = 4000;

type Row = { key: string } & ({ day: string } | { change: Change });

/** Shows the changes to an agent's memory, the newest first, and new ones as they happen. */
export function Changes({ agent }: { agent: string }) {
  const { search } = useViewAddress();
  const memory = useAgent(agent);
  const { kind, person, by, since } = search;
  const filter = { kind, person, by, ...(since ? { since: startOfDay(since) } : {}) };
  const feed = useInfiniteQuery({
    queryKey: ["changes", agent, filter],
    queryFn: ({ pageParam }) =>
      memory.changes({
        ...filter,
        order: "newest",
        texts: true,
        limit: PAGE,
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.more ? page.cursor : undefined),
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? EVERY_MS : false),
  });
  const more = useMore(feed);
  const rows = useMemo(() => rowsOf(feed.data?.pages.flatMap((page) => page.changes) ?? []), [feed.data]);
  const isFiltered = [kind, person, by, since].some((value) => value !== undefined);
  if (feed.isPending)
    return (
      <div className="p-5">
        <Loading what={texts.changes.all} lines={8} />
      </div>
    );
  if (feed.error)
    return (
      <div className="p-5">
        <ErrorBox error={feed.error} onRetry={() => void feed.refetch()} />
      </div>
    );
  if (rows.length === 0 && isFiltered)
    return <Empty title={texts.operator.noMatch}>{texts.operator.noMatchHint}</Empty>;
  if (rows.length === 0) return <Empty title={texts.activityLog.noChange}>{texts.activityLog.noChangeHint}</Empty>;
  return (
    <VirtualList
      rows={rows}
      label={texts.changes.list}
      height={64}
      keyOf={({ key }) => key}
      onEnd={more}
      render={(row) => (
        <div className="mx-auto w-full max-w-[60rem] px-5 max-md:px-4">
          {"day" in row ? (
            <h2 className="pt-5 pb-2 text-sm font-semibold text-fg-2">{longDay(row.day)}</h2>
          ) : (
            <ChangeRow agent={agent} change={row.change} />
          )}
        </div>
      )}
    />
  );
}

/**
 * Leaves out the end of a fact whose successor is listed too: both are one replacement, and the
 * successor has the words of both.
 */
function withoutTwins(changes: readonly Change[]): Change[] {
  const replacements = new Set(
    changes.filter(({ kind, before }) => kind === "fact.stored" && before !== undefined).map(wordsOf),
  );
  return changes.filter((change) => change.kind !== "fact.superseded" || !replacements.has(wordsOf(change)));
}

const wordsOf = ({ before, text }: Change): string => JSON.stringify([before, text]);

/** Puts the day above the changes of each day. Two changes may be equal in all their fields. */
function rowsOf(changes: readonly Change[]): Row[] {
  const rows: Row[] = [];
  let day = "";
  const seen = new Map<string, number>();
  for (const change of withoutTwins(changes)) {
    const own = new Date(change.at).toDateString();
    if (own !== day) {
      day = own;
      rows.push({ key: own, day: change.at });
    }
    const name = `${change.at} ${change.kind} ${change.path}`;
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    rows.push({ key: `${name} ${times}`, change });
  }
  return rows;
}
