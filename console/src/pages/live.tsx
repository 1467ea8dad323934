import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ActivityEntry, AgentStatus, AuditPage } from "recollect/client";
import { useAgent, useConnection } from "../app/connection-context.ts";
import { useViewAddress } from "../app/view-address.ts";
import { mayManage } from "../lib/connection.ts";
import { count, counted, moment } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { usePages } from "../ui/use-pages.ts";

interface Change {
  at: string;
  what: string;
}

const COUNTED = ["files", "sessions", "messages", "facts", "chunks", "pendingEmbeddings", "unindexedMessages"] as const;
const MOST_CHANGES = 500;

/** Shows the changes to an agent's memory and the use of it, as they happen. */
export function LivePage() {
  const { agent } = useViewAddress();
  const { key } = useConnection();
  const { changes, error } = useChanges(agent);
  return (
    <>
      <h1>{texts.labels.live}</h1>
      {error !== undefined && <ErrorBox error={error} />}
      <section aria-live="polite" aria-label={texts.labels.changes}>
        {changes.length === 0 && <Empty title={texts.live.waiting}>{texts.live.waitingHint}</Empty>}
        <ul className="changes">
          {changes.map(({ at, what }) => (
            <li key={`${at} ${what}`}>
              <time dateTime={at}>{new Date(at).toLocaleTimeString("en")}</time> {what}
            </li>
          ))}
        </ul>
      </section>
      <Used agent={agent} />
      {mayManage(key) && <Trail agent={agent} />}
    </>
  );
}

/** Turns the stream of an agent's status into a list of changes, newest first. */
function useChanges(agent: string): { changes: Change[]; error: unknown } {
  const memory = useAgent(agent);
  const [changes, setChanges] = useState<Change[]>([]);
  const [error, setError] = useState<unknown>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the client of an agent is made anew on each render.
  useEffect(() => {
    const stop = new AbortController();
    let before: AgentStatus | undefined;
    setChanges([]);
    setError(undefined);
    const follow = async () => {
      for await (const status of memory.watchStatus({ signal: stop.signal })) {
        const found = before ? differences(before, status) : [];
        before = status;
        const at = new Date().toISOString();
        if (found.length > 0)
          setChanges((known) => [...found.map((what) => ({ at, what })), ...known].slice(0, MOST_CHANGES));
      }
    };
    follow().catch((cause: unknown) => {
      if (!stop.signal.aborted) setError(cause);
    });
    return () => stop.abort();
  }, [agent]);
  return { changes, error };
}

function differences(before: AgentStatus, after: AgentStatus): string[] {
  const numbers = COUNTED.filter((name) => before[name] !== after[name]).map((name) => {
    const by = after[name] - before[name];
    return sentences.changed(
      texts.live.counted[name],
      `${by > 0 ? "+" : "−"}${count(Math.abs(by))}`,
      count(after[name]),
    );
  });
  const jobs = Object.entries(after.jobs).flatMap(([kind, { active }]) =>
    active > (before.jobs[kind]?.active ?? 0) ? [sentences.jobStarted(kind)] : [],
  );
  return [...numbers, ...jobs];
}

/** Lists the callers that searched, recalled and captured. */
function Used({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const used = usePages(["activity", agent], (cursor) => memory.activity({ limit: 50, cursor }), 5000);
  const entries = used.data?.pages.flatMap((page) => page.activity) ?? [];
  return (
    <section>
      <h2>{texts.live.used}</h2>
      {used.error && <ErrorBox error={used.error} />}
      {used.data && entries.length === 0 && <Empty title={texts.live.unused}>{texts.live.unusedHint}</Empty>}
      <ul className="changes">
        {entries.map((entry) => (
          <li key={entry.id}>
            <time dateTime={entry.at}>{moment(entry.at)}</time> {sentenceOf(entry)}
          </li>
        ))}
      </ul>
      {used.hasNextPage && (
        <button type="button" onClick={() => void used.fetchNextPage()} disabled={used.isFetchingNextPage}>
          {texts.labels.more}
        </button>
      )}
    </section>
  );
}

function sentenceOf({ actor, keyName, kind, times, hits }: ActivityEntry): string {
  const who = keyName === null ? actor : `${keyName} (${actor})`;
  const { did, found } = texts.live.kinds[kind];
  return sentences.used(who, did, times > 1 ? count(times) : undefined, counted(hits, found));
}

/** Lists the entries of the audit log about an agent. */
function Trail({ agent }: { agent: string }) {
  const { client } = useConnection();
  const audit = useQuery({
    queryKey: ["audit", "trail", agent],
    queryFn: () => client.request<AuditPage>("GET", "/v1/audit", { query: { limit: 50 } }),
    refetchInterval: 5000,
  });
  const own = audit.data?.entries.filter(({ target }) => target === agent || target.startsWith(`${agent}/`)) ?? [];
  return (
    <section>
      <h2>{texts.live.administered}</h2>
      {audit.error && <ErrorBox error={audit.error} />}
      {audit.data && own.length === 0 && <p className="quiet">{texts.live.notAdministered}</p>}
      <ul className="changes">
        {own.map(({ id, at, actor, action, target }) => (
          <li key={id}>
            <time dateTime={at}>{moment(at)}</time> {actor}: {action} {target}
          </li>
        ))}
      </ul>
    </section>
  );
}
