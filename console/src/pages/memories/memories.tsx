import { Plus } from "lucide-react";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { has } from "../../lib/features.ts";
import { count } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { AddFact } from "./add-fact.tsx";
import { FactFilterBar } from "./fact-filter-bar.tsx";
import { FactList } from "./fact-list.tsx";
import { FactTimeline } from "./fact-timeline.tsx";
import { MemoryMap } from "./memory-map.tsx";
import { Review } from "./review.tsx";
import { NARROWING, useFactFilter } from "./use-fact-filter.ts";
import { useFacts } from "./use-facts.ts";
import { personIn, usePeople } from "./use-people.ts";

const VIEWS = (["list", "timeline", "map", "review"] as const).filter((view) => view !== "map" || has("map"));

/**
 * Shows what an agent remembers as facts: as a list beside the chosen fact, over time, as a map, or
 * those that were captured and not reviewed.
 */
export function MemoriesPage() {
  const { agent, search, change } = useViewAddress();
  const { key } = useConnection();
  const view = VIEWS.find((one) => one === search.view) ?? "list";
  const filter = useFactFilter(search);
  // The timeline shows facts that have ended too, because it shows when they held.
  const facts = useFacts(agent, view === "timeline" ? { ...filter, all: true } : filter);
  const { people, whole } = usePeople(agent);
  const person = people.find(({ id }) => id === personIn(search));
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={texts.places.memories}
        inDetail={search.id !== undefined && view !== "review"}
        note={
          view === "list" && facts.total !== undefined && noteOf(facts.total, whole, isNarrowed(search), person?.name)
        }
        actions={
          <>
            <Segmented
              label={texts.labels.view}
              value={view}
              of={VIEWS.map((one) => [one, texts.memories.views[one]] as const)}
              onChoose={(next) => change({ view: next === "list" ? undefined : next })}
            />
            {mayDo(key, "agent:write") && (
              <Button kind="primary" aria-label={texts.memories.add} onClick={() => change({ add: "true" }, true)}>
                <Plus className="size-4" />
                <span className="max-md:hidden">{texts.memories.add}</span>
              </Button>
            )}
          </>
        }
      >
        {view !== "map" && view !== "review" && <FactFilterBar facts={facts.facts} people={people} />}
      </PageHeader>
      {view === "list" && <FactList agent={agent} list={facts} />}
      {view === "timeline" && <FactTimeline agent={agent} list={facts} />}
      {view === "map" && <MemoryMap agent={agent} />}
      {view === "review" && <Review agent={agent} />}
      {search.add !== undefined && mayDo(key, "agent:write") && (
        <AddFact agent={agent} person={person} onClose={() => change({ add: undefined }, true)} />
      )}
    </div>
  );
}

function isNarrowed(search: Readonly<Record<string, string>>): boolean {
  return NARROWING.some((name) => search[name] !== undefined);
}

function noteOf(total: number, whole: number | undefined, narrowed: boolean, person: string | undefined): string {
  const of = narrowed && whole !== undefined ? texts.memories.countOf(count(total), count(whole)) : count(total);
  return person === undefined ? of : texts.memories.countAbout(of, person);
}
