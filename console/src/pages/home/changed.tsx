import { useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import type { Change } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { plainText } from "../../lib/plain-text.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Dot } from "../../ui/badge.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Section } from "../../ui/section.tsx";
import { targetOfChange, toneOfChange } from "../activity/change-kinds.ts";

const [READ, MOST] = [40, 8];

/** Shows what was replaced, changed or deleted last: the words before, and the words after. */
export function Changed({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const changes = useQuery({
    queryKey: ["changes", agent, "home"],
    queryFn: () => memory.changes({ order: "newest", texts: true, limit: READ }),
  });
  const shown = (changes.data?.changes ?? [])
    .filter(({ kind }) => !["fact.stored", "file.created", "session.started"].includes(kind))
    .slice(0, MOST);
  return (
    <Section
      title={texts.home.changed}
      actions={
        <Link
          to="/agents/$agent/activity"
          params={{ agent }}
          search={{ view: "changes" }}
          className="text-sm text-accent hover:underline"
        >
          {texts.home.allChanges}
        </Link>
      }
    >
      {changes.isPending && <Loading what={texts.changes.all} />}
      {changes.error && <ErrorBox error={changes.error} onRetry={() => void changes.refetch()} />}
      {changes.data && shown.length === 0 && <p className="text-sm text-fg-2">{texts.home.nothingChanged}</p>}
      <ul className="-mx-4 flex flex-col">
        {shown.map((change) => (
          <ChangedRow key={`${change.at} ${change.path} ${change.kind}`} agent={agent} change={change} />
        ))}
      </ul>
    </Section>
  );
}

function ChangedRow({ agent, change }: { agent: string; change: Change }) {
  const { at, kind, path, text, before } = change;
  const target = targetOfChange(agent, change);
  const kinds: Readonly<Record<string, string>> = texts.changes.kinds;
  const isFact = kind.startsWith("fact.");
  const [was, is] = [before && plainText(before), text && plainText(text)];
  const title = isFact ? (is ?? was ?? path) : path;
  return (
    <li className="flex items-start gap-3 border-t border-border px-4 py-2 first:border-t-0">
      <Dot of={toneOfChange(kind)} className="mt-1.5" />
      <span className="min-w-0 grow">
        <span dir="auto" className="line-clamp-2 text-base [overflow-wrap:anywhere]">
          {isFact && was && is && was !== is && <Was text={was} />}
          {target ? (
            <Link {...target} className="hover:underline">
              {title}
            </Link>
          ) : (
            title
          )}
        </span>
        {!isFact && (was || is) && (
          <span dir="auto" className="line-clamp-2 text-sm text-fg-2 [overflow-wrap:anywhere]">
            {was && is && was !== is && <Was text={was} />}
            {is ?? was}
          </span>
        )}
        <span className="text-xs text-fg-2">
          {kinds[kind] ?? kind} · <RelativeTime at={at} />
        </span>
      </span>
    </li>
  );
}

/** The words before a change, with an arrow to the words after it. */
function Was({ text }: { text: string }) {
  return (
    <>
      <span className="text-fg-2">{text}</span> <ArrowRight
        aria-hidden="true"
        className="inline size-3.5 text-fg-3"
      />{" "}
    </>
  );
}
