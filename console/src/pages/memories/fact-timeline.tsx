import { useEffect, useMemo, useState } from "react";
import type { Fact } from "recollect/client";
import { cn } from "../../lib/cn.ts";
import { DAY_MS } from "../../lib/day-ms.ts";
import { count, day, month, shortDay } from "../../lib/format.ts";
import { topicOf } from "../../lib/topic.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { notLoaded } from "../../ui/not-loaded.tsx";
import { Panes } from "../../ui/panes.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import type { Facts } from "./fact-list.tsx";
import { FactView } from "./fact-view.tsx";

/** Facts beyond this number are left to the list: no reader looks through more lanes. */
const MOST_FACTS = 2000;
const ZOOMS = { all: undefined, year: 365, quarter: 90 } as const;

interface Lane {
  id: string;
  name: string;
  title: string;
  facts: Fact[];
}

/** The part of time that is visible. */
interface Span {
  from: number;
  to: number;
}

/**
 * Shows which facts held when, in a lane for each topic. In a lane, a fact follows the facts that it
 * replaced.
 */
export function FactTimeline({ agent, list }: { agent: string; list: Facts }) {
  const { search, change } = useViewAddress();
  const { facts, more } = list;
  useEffect(() => {
    if (facts.length > 0 && facts.length < MOST_FACTS) more();
  }, [facts.length, more]);
  const waiting = notLoaded(list, texts.labels.theFacts);
  if (waiting) return waiting;
  if (facts.length === 0) return <Empty title={texts.facts.none}>{texts.facts.noneHint}</Empty>;
  const lanes = <Lanes facts={facts} chosen={search.id} onChoose={(id) => change({ id })} />;
  if (!search.id) return <div className="flex min-h-0 grow flex-col">{lanes}</div>;
  return (
    <Panes
      name="timeline"
      listLabel={texts.memories.list}
      detailLabel={texts.labels.fact}
      onBack={() => change({ id: undefined })}
      detail={<FactView key={search.id} agent={agent} id={search.id} />}
      placeholder={null}
      list={lanes}
    />
  );
}

interface LanesProps {
  facts: readonly Fact[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

function Lanes({ facts, chosen, onChoose }: LanesProps) {
  const [zoom, setZoom] = useState<keyof typeof ZOOMS>("all");
  const [asOf, setAsOf] = useState<number>();
  const lanes = useMemo(() => lanesOf(facts), [facts]);
  const to = useMemo(() => Date.now(), []);
  const first = useMemo(
    () => Math.min(to - DAY_MS, ...facts.map(({ validFrom }) => Date.parse(validFrom))),
    [facts, to],
  );
  const days = ZOOMS[zoom];
  const span = { from: days === undefined ? first : Math.max(first, to - days * DAY_MS), to };
  const shown = lanes.filter((lane) => lane.facts.some(({ validTo }) => !validTo || Date.parse(validTo) >= span.from));
  const held = asOf === undefined ? undefined : facts.filter((fact) => heldAt(fact, asOf)).length;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-5 pt-3 text-sm text-fg-2">
        <Segmented
          label={texts.memories.zoom}
          value={zoom}
          of={(["all", "year", "quarter"] as const).map((one) => [one, texts.memories.zooms[one]] as const)}
          onChoose={setZoom}
        />
        <span role="status">
          {held === undefined || asOf === undefined
            ? texts.memories.asOfNow
            : texts.memories.heldThen(count(held), day(new Date(asOf).toISOString()))}
        </span>
        {asOf !== undefined && (
          <Button size="small" kind="ghost" onClick={() => setAsOf(undefined)}>
            {texts.actions.clear}
          </Button>
        )}
      </div>
      <Axis span={span} asOf={asOf} onAsOf={setAsOf} />
      <VirtualList
        rows={shown}
        label={texts.labels.timeline}
        height={34}
        keyOf={(lane) => lane.id}
        render={(lane) => <LaneRow lane={lane} span={span} asOf={asOf} chosen={chosen} onChoose={onChoose} />}
      />
    </>
  );
}

const GRID_CLASS = "grid grid-cols-[9rem_minmax(0,1fr)] gap-3 px-5 max-md:grid-cols-[6rem_minmax(0,1fr)] max-md:px-3";

/** The months above the lanes, and the slider that chooses a day. */
function Axis({ span, asOf, onAsOf }: { span: Span; asOf: number | undefined; onAsOf: (at: number) => void }) {
  const places = [0, 0.25, 0.5, 0.75, 1];
  return (
    <div className={cn(GRID_CLASS, "border-b border-border py-2")}>
      <span className="self-end text-xs text-fg-2">{texts.memories.asOf}</span>
      <div>
        <input
          type="range"
          aria-label={texts.memories.asOf}
          aria-valuetext={day(new Date(asOf ?? span.to).toISOString())}
          min={span.from}
          max={span.to}
          step={DAY_MS}
          value={asOf ?? span.to}
          onChange={(event) => onAsOf(Number(event.target.value))}
          className="block w-full accent-accent"
        />
        <div aria-hidden="true" className="flex justify-between text-xs text-fg-2">
          {places.map((share) => (
            <span key={share}>
              {share === 1 ? texts.labels.today : month(span.from + share * (span.to - span.from))}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

interface LaneRowProps extends Omit<LanesProps, "facts"> {
  lane: Lane;
  span: Span;
  asOf: number | undefined;
}

function LaneRow({ lane, span, asOf, chosen, onChoose }: LaneRowProps) {
  const place = (at: number) =>
    (100 * (Math.min(Math.max(at, span.from), span.to) - span.from)) / (span.to - span.from);
  return (
    <div className={cn(GRID_CLASS, "border-b border-border py-1")}>
      <span dir="auto" title={lane.title} className="truncate text-sm leading-7 text-fg-2">
        {lane.name}
      </span>
      <div className="relative h-7 overflow-hidden">
        {asOf !== undefined && (
          <span
            aria-hidden="true"
            style={{ left: `${place(asOf)}%` }}
            className="pointer-events-none absolute inset-y-0 z-1 w-px bg-accent"
          />
        )}
        {placed(lane.facts, place).map(({ fact, left, width }) => {
          const isOver = asOf === undefined ? fact.validTo !== undefined : !heldAt(fact, asOf);
          return (
            <button
              key={fact.id}
              type="button"
              data-row=""
              title={fact.text}
              aria-current={fact.id === chosen || undefined}
              onClick={() => onChoose(fact.id)}
              style={{ left: `${left}%`, width: `${width}%` }}
              className={cn(
                "absolute inset-y-0.5 truncate rounded px-1.5 text-start text-xs",
                isOver ? "bg-border text-fg" : "bg-fact text-surface",
                fact.id === chosen && "outline-2 outline-accent",
              )}
            >
              <span dir="auto">{fact.text}</span>
              <span className="sr-only">
                {" "}
                {texts.sentences.span(shortDay(fact.validFrom), fact.validTo && shortDay(fact.validTo))}
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

/** The least width of a bar in percent: a fact that held for a moment can be seen and chosen too. */
const LEAST_WIDTH = 1.5;

/** Returns the bars of a lane's facts from left to right. No bar covers another. */
function placed(facts: readonly Fact[], place: (at: number) => number) {
  const bars: { fact: Fact; left: number; width: number }[] = [];
  let limit = 100;
  for (const fact of facts.toReversed()) {
    const until = Math.min(limit, fact.validTo ? place(Date.parse(fact.validTo)) : 100);
    const left = Math.max(0, Math.min(place(Date.parse(fact.validFrom)), limit - LEAST_WIDTH));
    // It ended before the part of time that is visible.
    if (fact.validTo && place(Date.parse(fact.validTo)) <= 0) break;
    bars.unshift({ fact, left, width: Math.max(LEAST_WIDTH - 0.2, until - left - 0.2) });
    limit = left;
  }
  return bars;
}

function heldAt({ validFrom, validTo }: Fact, at: number): boolean {
  return Date.parse(validFrom) <= at && (validTo === undefined || Date.parse(validTo) > at);
}

/**
 * Groups the facts by person and topic; a fact without a topic is a group of its own. The group
 * that changed last comes first, because the API lists the newest facts first.
 */
function lanesOf(facts: readonly Fact[]): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const fact of facts) {
    const { key, subject, scope, text } = fact;
    const whom = subject ?? scope.user;
    const name = key === undefined ? text : [topicOf(key), whom].filter(Boolean).join(" · ");
    // Two topics may have the same name for people.
    const id = JSON.stringify([key ?? text, whom]);
    const lane = lanes.get(id) ?? { id, name, title: key ?? text, facts: [] };
    lane.facts.push(fact);
    lanes.set(id, lane);
  }
  for (const lane of lanes.values()) lane.facts.sort((a, b) => a.validFrom.localeCompare(b.validFrom));
  return [...lanes.values()];
}
