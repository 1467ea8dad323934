import type { Fact } from "recollect/client";
import { day } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";

/** The maximum number of lanes to show. No reader looks through more, and the list has the rest. */
const MOST_LANES = 60;

interface Lane {
  name: string;
  facts: Fact[];
}

/**
 * Shows which facts held when, in a lane for each subject. In a lane, a fact follows the facts that
 * it replaced.
 */
export function FactTimeline({
  facts,
  chosen,
  onChoose,
}: {
  facts: readonly Fact[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  const lanes = lanesOf(facts);
  const starts = facts.map(({ validFrom }) => Date.parse(validFrom));
  const [first, last] = [Math.min(...starts), Date.now()];
  const span = Math.max(1, last - first);
  const percent = (at: number) => (100 * Math.min(Math.max(at - first, 0), span)) / span;
  return (
    <section className="scroll" aria-label={texts.labels.timeline}>
      <p className="row between quiet">
        <span>{day(new Date(first).toISOString())}</span>
        <span>{texts.labels.today}</span>
      </p>
      <ol className="lanes">
        {lanes.slice(0, MOST_LANES).map(({ name, facts: inOrder }) => (
          <li key={name}>
            <span className="quiet" dir="auto">
              {name}
            </span>
            {inOrder.map((fact) => {
              const from = percent(Date.parse(fact.validFrom));
              const to = fact.validTo ? percent(Date.parse(fact.validTo)) : 100;
              return (
                <button
                  key={fact.id}
                  type="button"
                  className={fact.validTo ? "held over" : "held"}
                  aria-current={fact.id === chosen || undefined}
                  onClick={() => onChoose(fact.id)}
                >
                  <svg aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none">
                    <rect x={Math.min(from, 98)} width={Math.max(2, to - from)} y={0} height={6} rx={1} />
                  </svg>
                  <span dir="auto">{fact.text}</span>
                  <span className="quiet">
                    {sentences.span(day(fact.validFrom), fact.validTo && day(fact.validTo))}
                  </span>
                </button>
              );
            })}
          </li>
        ))}
      </ol>
      {lanes.length > MOST_LANES && <p className="quiet">{texts.facts.moreLanes}</p>}
    </section>
  );
}

/**
 * Groups the facts by key; a fact without a key is grouped by its text. The subject that changed
 * last comes first, because the API lists the newest facts first.
 */
function lanesOf(facts: readonly Fact[]): Lane[] {
  const lanes = new Map<string, Fact[]>();
  for (const fact of facts) {
    const name = fact.key ?? fact.text;
    lanes.set(name, [...(lanes.get(name) ?? []), fact]);
  }
  const inOrder = (group: Fact[]) => group.sort((a, b) => a.validFrom.localeCompare(b.validFrom));
  return [...lanes].map(([name, group]) => ({ name, facts: inOrder(group) }));
}
