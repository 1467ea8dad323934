import type { ArmEntry, SearchDebug } from "recollect/client";
import { score } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";

const SHOWN = 12;
const ROW = 26;
const placeOf = ({ path, startLine, endLine }: Omit<ArmEntry, "score">) => `${path}:${startLine}-${endLine}`;

/**
 * Shows the rankings of both arms side by side. Lines connect a passage in one ranking with the
 * same passage in the other. Also shows the values that decide the floor.
 */
export function Arms({ debug }: { debug: SearchDebug }) {
  const [keyword, vector] = [debug.arms.keyword.slice(0, SHOWN), debug.arms.vector.slice(0, SHOWN)];
  const { mode, rule, vectorWeight, textWeight, background } = debug.fusion;
  return (
    <details className="card">
      <summary>{texts.labels.bothRankingsAndTheFloor}</summary>
      <p className="quiet">
        {sentences.weights(mode, rule, score(vectorWeight), score(textWeight), debug.minScore)}
        {background?.cosines &&
          sentences.background(background.chunks, score(background.cosines.mean), score(background.cosines.deviation))}
      </p>
      <div className="arms">
        <ArmList title={texts.labels.keyword} entries={keyword} />
        <Lines from={keyword} to={vector} />
        <ArmList title={texts.labels.vector} entries={vector} />
      </div>
      {debug.leftOut.length > 0 && (
        <>
          <h2>{texts.labels.leftOut}</h2>
          <ul>
            {debug.leftOut.map((one) => (
              <li key={`${placeOf(one)} ${one.stage}`}>
                {placeOf(one)}:{" "}
                {one.stage === "floor" ? sentences.belowFloor(score(one.score)) : sentences.sameAs(one.of)}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

function ArmList({ title, entries }: { title: string; entries: readonly ArmEntry[] }) {
  return (
    <div>
      <h2 className="arm-title">{title}</h2>
      <ol className="arm">
        {entries.map((entry) => (
          <li key={placeOf(entry)} title={placeOf(entry)}>
            <span>{placeOf(entry)}</span> <span className="quiet">{score(entry.score)}</span>
          </li>
        ))}
        {entries.length === 0 && <li>{texts.labels.nothing}</li>}
      </ol>
    </div>
  );
}

function Lines({ from, to }: { from: readonly ArmEntry[]; to: readonly ArmEntry[] }) {
  const height = Math.max(from.length, to.length, 1) * ROW;
  return (
    <svg className="lines" viewBox={`0 0 60 ${height}`} width={60} height={height} aria-hidden="true">
      {from.flatMap((entry, at) => {
        const other = to.findIndex((one) => placeOf(one) === placeOf(entry));
        if (other < 0) return [];
        const [y1, y2] = [(at + 0.5) * ROW, (other + 0.5) * ROW];
        return [<line key={placeOf(entry)} x1={0} y1={y1} x2={60} y2={y2} stroke="currentColor" strokeWidth={1.5} />];
      })}
    </svg>
  );
}
