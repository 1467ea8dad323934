import { useEffect, useState } from "react";
import type { AgentStatus } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { count, timeOfDay } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Dot } from "../../ui/badge.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Section } from "../../ui/section.tsx";

interface Change {
  id: number;
  at: string;
  what: string;
}

const COUNTED = ["files", "sessions", "messages", "facts", "chunks", "pendingEmbeddings", "unindexedMessages"] as const;
const MOST_CHANGES = 100;

/** Shows how the numbers of an agent's memory change while one looks: what comes in, and the index after it. */
export function LivePart({ agent }: { agent: string }) {
  const { changes, error } = useChanges(agent);
  const { activityLog: words } = texts;
  return (
    <Section
      title={words.now}
      note={
        error === undefined && (
          <span className="inline-flex items-center gap-1.5">
            <Dot of="ok" className="animate-pulse rounded-full" />
            {words.watching}
          </span>
        )
      }
    >
      {error !== undefined && <ErrorBox error={error} />}
      <div role="log" aria-live="polite" aria-label={texts.labels.changes}>
        {changes.length === 0 && <p className="text-sm text-fg-2">{texts.live.waitingHint}</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
        <ul tabIndex={0} aria-label={words.now} className="flex max-h-56 flex-col gap-1 overflow-auto text-sm">
          {changes.map(({ id, at, what }) => (
            <li key={id} className="flex gap-3">
              <time dateTime={at} className="tabular shrink-0 text-fg-2">
                {timeOfDay(at)}
              </time>
              {what}
            </li>
          ))}
        </ul>
      </div>
    </Section>
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
    let last = 0;
    setChanges([]);
    setError(undefined);
    const follow = async () => {
      for await (const status of memory.watchStatus({ signal: stop.signal })) {
        const found = before ? differences(before, status) : [];
        before = status;
        if (found.length === 0) continue;
        const at = new Date().toISOString();
        const named = found.map((what) => ({ id: ++last, at, what }));
        setChanges((known) => [...named, ...known].slice(0, MOST_CHANGES));
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
    active > (before.jobs[kind]?.active ?? 0) ? [sentences.jobStarted(texts.operator.jobs.kinds[kind] ?? kind)] : [],
  );
  return [...numbers, ...jobs];
}
