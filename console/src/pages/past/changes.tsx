import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Change } from "recollect/client";
import { useViewAddress } from "../../app/view-address.ts";
import { dayInput, moment, startOfDay } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { useMore } from "../../ui/use-more.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { useFeed } from "./use-feed.ts";

const WEEK_DAYS = 7;

/** Shows the changes to an agent's files and facts since a day, and new changes as they happen. */
export function Changes({ agent }: { agent: string }) {
  const { search, change } = useViewAddress();
  const since = search.since ?? dayInput(WEEK_DAYS);
  const { feed, broken } = useFeed(agent, startOfDay(since));
  const more = useMore(feed);
  const rows = useMemo(() => numbered(feed.data?.pages.flatMap((page) => page.changes) ?? []), [feed.data]);
  return (
    <section aria-label={texts.labels.changes}>
      <div className="row">
        <label>
          {texts.labels.since}
          <input
            type="date"
            required
            value={since}
            max={dayInput(0)}
            onChange={(event) => change({ since: event.target.value }, true)}
          />
        </label>
      </div>
      {feed.isPending && <Loading what={texts.changes.all} />}
      {feed.error && <ErrorBox error={feed.error} onRetry={() => void feed.refetch()} />}
      {broken !== undefined && <ErrorBox error={broken} />}
      {feed.data && rows.length === 0 && <Empty title={texts.changes.none}>{texts.changes.noneHint}</Empty>}
      {rows.length > 0 && (
        <>
          <p className="quiet">{texts.changes.order}</p>
          <VirtualList
            rows={rows}
            label={texts.changes.list}
            height={60}
            keyOf={(row) => row.id}
            onEnd={more}
            render={(row) => <ChangeRow agent={agent} change={row} />}
          />
        </>
      )}
    </section>
  );
}

/** Numbers the changes, because two changes may be equal in all their fields. */
function numbered(changes: readonly Change[]): (Change & { id: string })[] {
  return changes.map((change, at) => ({ ...change, id: String(at) }));
}

function ChangeRow({ agent, change: { at, kind, path, by, version } }: { agent: string; change: Change }) {
  return (
    <div className="change">
      <Subject agent={agent} kind={kind} path={path} version={version} />
      <span className="quiet">
        <time dateTime={at}>{moment(at)}</time>
        {" · "}
        {sentences.happened(texts.changes.kinds[kind] ?? kind, by ?? texts.versions.notNoted)}
      </span>
    </div>
  );
}

/** The kinds of changes after which the fact cannot be shown any more. */
const GONE = new Set(["fact.forgotten", "fact.expired", "fact.withdrawn"]);

function Subject({ agent, kind, path, version }: { agent: string } & Pick<Change, "kind" | "path" | "version">) {
  if (GONE.has(kind)) return <span dir="auto">{path}</span>;
  if (kind.startsWith("fact."))
    return (
      <Link to="/agents/$agent/facts" params={{ agent }} search={{ id: path.split("/").at(-1) ?? "" } as never}>
        {path}
      </Link>
    );
  return (
    <Link
      to="/agents/$agent/files"
      params={{ agent }}
      search={{ path, ...(version === undefined ? {} : { version }) } as never}
      dir="auto"
    >
      {path}
    </Link>
  );
}
