import { Search } from "lucide-react";
import type { SearchHit, SearchOptions } from "recollect/client";
import { count, counted } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Explanation } from "./explanation.tsx";
import { HitCard } from "./hit-card.tsx";
import { type Searched, useSearch } from "./use-search.ts";

/** A score of 0.5 is as likely an answer as not; below this one, a hit is more likely none. */
export const WEAK = 0.3;

/** Shows the hits of a search, and beside them how they came about. */
export function SearchMode({ agent, query, options }: { agent: string; query: string; options: SearchOptions }) {
  const found = useSearch(agent, query, options);
  if (query === "")
    return (
      <Empty icon={Search} title={texts.search.prompt}>
        {texts.search.promptHint}
      </Empty>
    );
  return (
    <div className="flex min-h-0 grow max-xl:flex-col max-xl:overflow-auto" data-scroll="">
      <section aria-label={texts.search.resultsOf} className="min-w-0 grow xl:overflow-auto">
        {found.isLoading && (
          <div className="p-5">
            <Loading what={texts.labels.hits2} lines={8} />
          </div>
        )}
        {found.error && (
          <div className="p-5">
            <ErrorBox error={found.error} onRetry={() => void found.refetch()} />
          </div>
        )}
        {found.data && <Hits key={found.dataUpdatedAt} agent={agent} query={query} searched={found.data} />}
      </section>
      {found.data && (
        <aside
          aria-label={texts.search.explanation}
          className="shrink-0 border-border bg-surface max-xl:border-t xl:w-96 xl:overflow-auto xl:border-s"
        >
          <Explanation agent={agent} query={query} options={options} answer={found.data.answer} />
        </aside>
      )}
    </div>
  );
}

function Hits({ agent, query, searched: { answer, ms } }: { agent: string; query: string; searched: Searched }) {
  const { results, warning, action, note, mode } = answer;
  const [strong, weak] = [results.filter(({ score }) => score >= WEAK), results.filter(({ score }) => score < WEAK)];
  // If nothing is strong, the weak matches are what there is.
  const folded = strong.length > 0 ? weak : [];
  const shown = strong.length > 0 ? strong : weak;
  return (
    <>
      <div className="flex flex-col gap-1 px-5 pt-3 text-sm text-fg-2 max-md:px-4">
        {warning && <p className="text-bad">{[warning, action].filter(Boolean).join(" ")}</p>}
        {note && <p>{note}</p>}
        <p role="status" className="tabular">
          {[
            counted(results.length, texts.nouns.result),
            folded.length > 0 && texts.search.weak(folded.length),
            texts.search.took(count(Math.round(ms))),
            mode && texts.search.armsOf[mode],
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {results.length > 0 && answer.certain === false && <p>{texts.search.uncertain}</p>}
      </div>
      {results.length === 0 && <Empty title={texts.search.nothing}>{texts.search.nothingHint}</Empty>}
      <HitList agent={agent} query={query} hits={shown} from={1} />
      {folded.length > 0 && (
        <details>
          <summary className="border-b border-border px-5 py-3 text-sm text-fg-2 hover:bg-hover max-md:px-4">
            {texts.search.weakMatches(folded.length, String(WEAK))}
          </summary>
          <HitList agent={agent} query={query} hits={folded} from={shown.length + 1} />
        </details>
      )}
    </>
  );
}

interface HitListProps {
  agent: string;
  query: string;
  hits: readonly SearchHit[];
  /** The place of the first hit. */
  from: number;
}

function HitList({ agent, query, hits, from }: HitListProps) {
  return (
    <ol start={from}>
      {hits.map((hit) => (
        <li key={`${hit.path} ${hit.startLine}`}>
          <HitCard hit={hit} agent={agent} query={query} />
        </li>
      ))}
    </ol>
  );
}
