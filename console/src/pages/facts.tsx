import { useMemo } from "react";
import type { Fact } from "recollect/client";
import { useAgent, useConnection } from "../app/connection-context.ts";
import { useViewAddress } from "../app/view-address.ts";
import { mayDo } from "../lib/connection.ts";
import { day } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { useMore } from "../ui/use-more.ts";
import { usePages } from "../ui/use-pages.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import { AddFact } from "./add-fact.tsx";
import { FactTimeline } from "./fact-timeline.tsx";
import { FactView } from "./fact-view.tsx";

const PAGE = 200;

/**
 * Shows the facts of an agent, and one fact with its history. The facts are either those that hold
 * now or all that ever held, as a list or as a timeline.
 */
export function FactsPage() {
  const { agent, search, change } = useViewAddress();
  const memory = useAgent(agent);
  const { key } = useConnection();
  const all = search.all === "true";
  const timeline = search.view === "timeline";
  const facts = usePages(["facts", agent, all], (cursor) =>
    memory.facts.list({ limit: PAGE, cursor, ...(all ? { all } : {}) }),
  );
  const more = useMore(facts);
  const rows = useMemo(() => facts.data?.pages.flatMap((page) => page.facts) ?? [], [facts.data]);
  return (
    <div className="two">
      <section aria-label={texts.labels.facts}>
        <h1>{texts.labels.facts}</h1>
        <label className="check">
          <input
            type="checkbox"
            checked={all}
            onChange={(event) => change({ all: event.target.checked ? "true" : undefined })}
          />
          {texts.labels.alsoThoseThatNoLongerHold}
        </label>
        <fieldset className="row" aria-label={texts.labels.view}>
          <button type="button" aria-pressed={!timeline} onClick={() => change({ view: undefined })}>
            {texts.labels.list}
          </button>
          <button type="button" aria-pressed={timeline} onClick={() => change({ view: "timeline", all: "true" })}>
            {texts.labels.timeline}
          </button>
        </fieldset>
        {mayDo(key, "agent:write") && <AddFact agent={agent} />}
        {facts.isPending && <Loading what={texts.labels.theFacts} />}
        {facts.error && <ErrorBox error={facts.error} onRetry={() => void facts.refetch()} />}
        {facts.data && rows.length === 0 && <Empty title={texts.facts.none}>{texts.facts.noneHint}</Empty>}
        {rows.length > 0 && timeline && (
          <>
            <FactTimeline facts={rows} chosen={search.id} onChoose={(id) => change({ id })} />
            {facts.hasNextPage && (
              <button type="button" onClick={more}>
                {texts.labels.earlierFacts}
              </button>
            )}
          </>
        )}
        {rows.length > 0 && !timeline && (
          <VirtualList
            rows={rows}
            label={texts.labels.listOfFacts}
            height={64}
            keyOf={(fact) => fact.id}
            onEnd={more}
            render={(fact) => (
              <FactRow fact={fact} chosen={fact.id === search.id} onChoose={() => change({ id: fact.id })} />
            )}
          />
        )}
      </section>
      <section aria-label={texts.labels.fact}>
        {search.id ? <FactView key={search.id} agent={agent} id={search.id} /> : <Empty title={texts.facts.choose} />}
      </section>
    </div>
  );
}

function FactRow({ fact, chosen, onChoose }: { fact: Fact; chosen: boolean; onChoose: () => void }) {
  return (
    <button type="button" className="row-button" aria-current={chosen || undefined} onClick={onChoose}>
      <span dir="auto" className={fact.validTo ? "past" : ""}>
        {fact.text}
      </span>
      <span className="quiet">
        {fact.category} · {sentences.span(day(fact.validFrom), fact.validTo && day(fact.validTo))}
      </span>
    </button>
  );
}
