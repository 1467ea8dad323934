import type { ArmEntry, SearchDebug, SearchHit } from "recollect/client";
import { cn } from "../../lib/cn.ts";
import { score2 } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { placeOf } from "./funnel.tsx";

const [SHOWN, ROW, LINES] = [10, 24, 56];

/**
 * Shows the rankings by words and by meaning side by side. Lines connect a passage in one ranking
 * with the same passage in the other.
 */
export function Rankings({ debug, hits }: { debug: SearchDebug; hits: readonly SearchHit[] }) {
  // A ranking names facts by their numbers. Only the results have the sentences of facts.
  const sentences = new Map(
    hits.filter(({ source }) => source === "facts").map(({ path, snippet }) => [path, snippet]),
  );
  const [words, meaning] = [debug.arms.keyword.slice(0, SHOWN), debug.arms.vector.slice(0, SHOWN)];
  return (
    <div className="arms grid grid-cols-[minmax(0,1fr)_56px_minmax(0,1fr)] text-xs">
      <Arm title={texts.search.words} entries={words} sentences={sentences} end />
      <Lines from={words} to={meaning} />
      <Arm title={texts.search.meaning} entries={meaning} sentences={sentences} />
    </div>
  );
}

interface ArmProps {
  title: string;
  entries: readonly ArmEntry[];
  sentences: ReadonlyMap<string, string>;
  end?: boolean;
}

function Arm({ title, entries, sentences, end = false }: ArmProps) {
  return (
    <div className={end ? "text-end" : ""}>
      <h3 className="h-6 font-semibold">{title}</h3>
      <ol>
        {entries.map((entry) => (
          <li
            key={placeOf(entry)}
            title={sentences.get(entry.path) ?? placeOf(entry)}
            className={cn("flex h-6 gap-1.5 leading-6", end && "justify-end")}
            dir="ltr"
          >
            <span className="truncate">{sentences.get(entry.path) ?? nameOf(entry.path)}</span>
            <span className="tabular shrink-0 text-fg-2">{score2(entry.score)}</span>
          </li>
        ))}
        {entries.length === 0 && <li className="text-fg-2">{texts.labels.nothing}</li>}
      </ol>
    </div>
  );
}

/** Returns the end of a path, which tells passages apart in little room. */
function nameOf(path: string): string {
  const parts = path.split("/");
  return parts[0] === "facts" ? texts.sentences.factNumber(parts[1] ?? "") : (parts.at(-1) ?? path);
}

function Lines({ from, to }: { from: readonly ArmEntry[]; to: readonly ArmEntry[] }) {
  const height = Math.max(from.length, to.length, 1) * ROW;
  return (
    <svg aria-hidden="true" width={LINES} height={height} className="mt-6 block">
      {from.flatMap((entry, at) => {
        const other = to.findIndex((one) => placeOf(one) === placeOf(entry));
        if (other < 0)
          return [<circle key={placeOf(entry)} cx={6} cy={(at + 0.5) * ROW} r={3} className="fill-file" />];
        const [y1, y2] = [(at + 0.5) * ROW, (other + 0.5) * ROW];
        return [
          <g key={placeOf(entry)}>
            <path
              d={`M6 ${y1}C${LINES / 2} ${y1} ${LINES / 2} ${y2} ${LINES - 6} ${y2}`}
              fill="none"
              className="stroke-border-strong"
              strokeWidth="1.5"
            />
            <circle cx={6} cy={y1} r={3} className="fill-file" />
          </g>,
        ];
      })}
      {to.map((entry, at) => (
        <circle key={placeOf(entry)} cx={LINES - 6} cy={(at + 0.5) * ROW} r={3} className="fill-fact" />
      ))}
    </svg>
  );
}
