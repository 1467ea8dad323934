import type { ActivityEntry } from "recollect/client";
import { duration } from "../../lib/duration.ts";
import { count, counted } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Actor } from "../workspace/actor.tsx";

const TONES = { search: "file", recall: "fact", capture: "chat", read: "file" } as const;

/** The columns of the list of calls. */
export function requestColumns(nameOf: (id: string) => string | undefined): Column<ActivityEntry>[] {
  const { columns, activityLog: words, live } = texts;
  const callerOf = ({ actor, keyName }: ActivityEntry) => keyName ?? nameOf(actor);
  return [
    { id: "when", head: columns.when, sortBy: ({ at }) => at, show: ({ at }) => <RelativeTime at={at} /> },
    {
      id: "who",
      head: columns.who,
      sortBy: (entry) => callerOf(entry) ?? entry.actor,
      show: (entry) => <Actor id={entry.actor} name={callerOf(entry)} />,
    },
    {
      id: "what",
      head: texts.operator.audit.what,
      sortBy: ({ kind }) => kind,
      show: ({ kind, times }) => (
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={TONES[kind]}>{words.callKinds[kind]}</Badge>
          {times > 1 && <span className="tabular text-xs text-fg-2">{words.times(count(times))}</span>}
        </span>
      ),
    },
    {
      id: "found",
      head: words.found,
      end: true,
      sortBy: ({ hits }) => hits,
      show: ({ kind, hits }) => counted(hits, live.kinds[kind].found),
    },
    {
      id: "took",
      head: texts.operator.jobs.took,
      end: true,
      sortBy: ({ ms }) => ms ?? -1,
      show: ({ ms, slowestMs, times }) =>
        typeof ms !== "number" ? (
          ""
        ) : (
          <span title={times > 1 && slowestMs ? words.slowest(duration(slowestMs)) : undefined}>{duration(ms)}</span>
        ),
    },
    {
      id: "state",
      head: columns.state,
      show: ({ failed = 0, empty = 0 }) =>
        failed + empty > 0 && (
          <span className="flex flex-wrap gap-1">
            {failed > 0 && <Badge tone="bad">{texts.operator.failed(count(failed))}</Badge>}
            {empty > 0 && <Badge tone="warn">{words.emptyCount(count(empty))}</Badge>}
          </span>
        ),
    },
  ];
}
