import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { SearchAnswer, SearchInput, SearchOptions, SearchUnavailable } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useViewAddress } from "../../app/view-address.ts";
import { counted } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Arms } from "./arms.tsx";
import { HitCard } from "./hit-card.tsx";
import { SavedQuestions } from "./saved-questions.tsx";
import { SearchForm } from "./search-form.tsx";
import { WhyNot } from "./why-not.tsx";

/**
 * Runs a search and explains it: the hits, the reasons for their rank, and why another document is
 * not among them.
 */
export function SearchPage() {
  const { agent, search, change } = useViewAddress();
  const memory = useAgent(agent);
  const options = optionsOf(search);
  const input: SearchInput = { ...options, query: (search.q ?? "").trim(), explain: true };
  const answer = useQuery({
    queryKey: ["search", agent, input],
    queryFn: () => memory.search(input.query, input),
    enabled: input.query !== "",
  });
  const [asked, setAsked] = useState<number>();
  useEffect(() => {
    if (answer.dataUpdatedAt > 0) setAsked(answer.dataUpdatedAt);
  }, [answer.dataUpdatedAt]);
  return (
    <>
      <h1>{texts.labels.search}</h1>
      <SearchForm search={search} onSearch={change} />
      {input.query === "" && <Empty title={texts.search.prompt} />}
      {answer.isLoading && <Loading what={texts.labels.hits2} />}
      {answer.error && <ErrorBox error={answer.error} onRetry={() => void answer.refetch()} />}
      <div className="beside">
        {answer.data && <Hits answer={answer.data} agent={agent} query={input.query} key={asked} />}
        <aside aria-label={texts.labels.explanations}>
          {answer.data?.debug && <Arms debug={answer.data.debug} />}
          {input.query !== "" && <WhyNot agent={agent} query={input.query} options={options} />}
          <SavedQuestions agent={agent} options={options} />
        </aside>
      </div>
    </>
  );
}

interface HitsProps {
  answer: SearchAnswer | SearchUnavailable;
  agent: string;
  query: string;
}

function Hits({ answer, agent, query }: HitsProps) {
  const { results, warning, action, note, mode } = answer;
  return (
    <section aria-label={texts.labels.hits}>
      {warning && <p className="problem">{[warning, action].filter(Boolean).join(" ")}</p>}
      {note && <p className="quiet">{note}</p>}
      <p className="quiet" role="status">
        {[counted(results.length, texts.nouns.hit), mode].filter(Boolean).join(" · ")}
      </p>
      {results.length === 0 && <Empty title={texts.search.nothing}>{texts.search.nothingHint}</Empty>}
      <ol className="hits">
        {results.map((hit) => (
          <li key={`${hit.path} ${hit.startLine}`}>
            <HitCard hit={hit} agent={agent} query={query} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Returns the search options in the address. The agent's own settings apply to missing options. */
function optionsOf(search: Record<string, string>): SearchOptions {
  const { corpus, fusion, after, before, paths, minScore, maxResults } = search;
  return {
    ...(corpus ? { corpus: corpus as NonNullable<SearchOptions["corpus"]> } : {}),
    ...(fusion ? { fusion: fusion as NonNullable<SearchOptions["fusion"]> } : {}),
    ...(after ? { after } : {}),
    ...(before ? { before } : {}),
    ...(paths ? { paths: paths.split(",").map((path) => path.trim()) } : {}),
    ...(minScore ? { minScore: Number(minScore) } : {}),
    ...(maxResults ? { maxResults: Number(maxResults) } : {}),
  };
}
