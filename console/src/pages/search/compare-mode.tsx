import { ArrowLeftRight } from "lucide-react";
import type { SearchHit, SearchOptions } from "recollect/client";
import { useAgents } from "../../app/use-agents.ts";
import { count, score2, startOfDay } from "../../lib/format.ts";
import { plainText, withoutSource } from "../../lib/plain-text.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Dot } from "../../ui/badge.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { useSearch } from "./use-search.ts";

interface CompareModeProps {
  agent: string;
  query: string;
  options: SearchOptions;
}

const TONES = { facts: "fact", memory: "file", sessions: "chat" } as const;

/** Shows the hits of two ways to search beside each other, and how far each hit moved. */
export function CompareMode({ agent, query, options }: CompareModeProps) {
  const { search, change } = useViewAddress();
  const agents = useAgents();
  const other = search.otherAgent ?? agent;
  const otherOptions: SearchOptions = {
    ...options,
    ...(search.otherFusion ? { fusion: search.otherFusion as NonNullable<SearchOptions["fusion"]> } : {}),
    ...(search.otherAsOf ? { asOf: startOfDay(search.otherAsOf) } : {}),
  };
  const [one, two] = [useSearch(agent, query, options), useSearch(other, query, otherOptions)];
  if (query === "") return <Empty icon={ArrowLeftRight} title={texts.compare.prompt} />;
  const ids = new Set([...(agents.data?.agents.map(({ id }) => id) ?? []), agent]);
  return (
    <div className="min-h-0 grow overflow-auto" data-scroll="">
      <div className="mx-auto grid max-w-[105rem] gap-5 p-5 max-md:p-4 lg:grid-cols-2">
        <Section title={texts.compare.asIs} note={one.data && texts.search.took(count(Math.round(one.data.ms)))}>
          <p className="text-sm text-fg-2">{texts.compare.asIsHint}</p>
          <Side found={one} against={[]} />
        </Section>
        <Section title={texts.compare.other} note={two.data && texts.search.took(count(Math.round(two.data.ms)))}>
          <div className="grid grid-cols-3 gap-2 max-md:grid-cols-1">
            <Field label={texts.search.ranking}>
              <Select
                of={{ "": texts.search.ownFusion, ...texts.search.fusions }}
                value={search.otherFusion ?? ""}
                onChange={(event) => change({ otherFusion: event.target.value }, true)}
              />
            </Field>
            <Field label={texts.memories.asOf}>
              <Input
                type="date"
                value={search.otherAsOf ?? ""}
                onChange={(event) => change({ otherAsOf: event.target.value }, true)}
              />
            </Field>
            <Field label={texts.labels.agent}>
              <Select
                of={[...ids].sort()}
                value={other}
                onChange={(event) =>
                  change({ otherAgent: event.target.value === agent ? undefined : event.target.value }, true)
                }
              />
            </Field>
          </div>
          <Side found={two} against={one.data?.answer.results ?? []} />
        </Section>
      </div>
    </div>
  );
}

function Side({ found, against }: { found: ReturnType<typeof useSearch>; against: readonly SearchHit[] }) {
  if (found.isLoading) return <Loading what={texts.labels.hits2} />;
  if (found.error) return <ErrorBox error={found.error} onRetry={() => void found.refetch()} />;
  const hits = found.data?.answer.results ?? [];
  if (hits.length === 0) return <p className="text-sm text-fg-2">{texts.search.nothing}</p>;
  return (
    <ol className="flex flex-col">
      {hits.map((hit, at) => (
        <li
          key={`${hit.path}:${hit.startLine}`}
          className="flex items-baseline gap-2 border-b border-border py-2 last:border-0"
        >
          <span className="tabular w-5 shrink-0 text-end text-sm text-fg-2">{at + 1}</span>
          <Dot of={TONES[hit.source]} className="shrink-0" />
          <span className="min-w-0 grow">
            <span dir="auto" className="line-clamp-2 text-base [overflow-wrap:anywhere]">
              {plainText(withoutSource(hit.snippet))}
            </span>
            <span className="text-xs text-fg-2 [overflow-wrap:anywhere]">{hit.path}</span>
          </span>
          {against.length > 0 && <Moved at={at} before={against.findIndex((one) => one.path === hit.path)} />}
          <span className="tabular text-sm text-fg-2">{score2(hit.score)}</span>
        </li>
      ))}
    </ol>
  );
}

/** How far a hit has moved. */
function Moved({ at, before }: { at: number; before: number }) {
  if (before < 0) return <span className="shrink-0 text-xs text-ok">{texts.compare.fresh}</span>;
  if (before === at) return <span className="text-xs text-fg-2">{"="}</span>;
  return before > at ? (
    <span className="shrink-0 text-xs text-ok">{texts.compare.up(before - at)}</span>
  ) : (
    <span className="shrink-0 text-xs text-bad">{texts.compare.down(at - before)}</span>
  );
}
