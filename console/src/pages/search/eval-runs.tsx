import { type EvalRun, type Figures, figuresOf, gains } from "../../lib/eval-runs.ts";
import { moment, percent } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Scroll } from "../../ui/scroll.tsx";

const MEASURES = ["first", "three", "ten", "reciprocal"] as const satisfies readonly (keyof Figures)[];
const HEIGHT = 100;
/** The widths of a bar and of a group of two bars, in the units of the picture. */
const [BAR, GROUP] = [26, 80];

interface EvalRunsProps {
  /** The runs, newest first; at least one. */
  runs: readonly EvalRun[];
  /** The index of the run with which the newest run is compared. */
  compared: number;
  onCompare: (at: number) => void;
}

/**
 * Lists the runs of the saved questions with their figures, and plots the newest run beside an
 * earlier one.
 */
export function EvalRuns({ runs, compared, onCompare }: EvalRunsProps) {
  const [newest, before] = [runs[0] as EvalRun, runs[compared]];
  return (
    <>
      <Scroll label={texts.evaluation.tableOfRuns}>
        <table>
          <thead>
            <tr>
              <th>{texts.columns.when}</th>
              <th>{texts.evaluation.with}</th>
              {MEASURES.map((measure) => (
                <th key={measure}>{texts.evaluation.measures[measure]}</th>
              ))}
              <th>{texts.evaluation.compareWith}</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run, at) => (
              <tr key={run.at}>
                <th scope="row">{moment(run.at)}</th>
                <td>{run.with}</td>
                {MEASURES.map((measure) => (
                  <td key={measure}>{shown(measure, figuresOf(run)[measure])}</td>
                ))}
                <td>
                  {at > 0 && (
                    <input
                      type="radio"
                      name="compared"
                      aria-label={sentences.compareWith(moment(run.at))}
                      checked={at === compared}
                      onChange={() => onCompare(at)}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {before && before !== newest && (
        <div className="plots">
          <Means before={figuresOf(before)} after={figuresOf(newest)} />
          <Gains all={gains(before, newest)} />
        </div>
      )}
    </>
  );
}

const shown = (measure: keyof Figures, value: number) => (measure === "reciprocal" ? value.toFixed(2) : percent(value));

/** Plots each figure of both runs as bars side by side. The table has the numbers. */
function Means({ before, after }: { before: Figures; after: Figures }) {
  return (
    <figure>
      <svg aria-hidden="true" viewBox={`0 0 ${GROUP * MEASURES.length} ${HEIGHT + 16}`}>
        {MEASURES.map((measure, group) =>
          [before, after].map((figures, at) => {
            const height = Math.max(1, figures[measure] * HEIGHT);
            const x = group * GROUP + 8 + at * (BAR + 2);
            return (
              <g key={`${measure} ${at === 0 ? "before" : "after"}`}>
                <rect className={at === 0 ? "then" : "now"} x={x} y={HEIGHT - height} width={BAR} height={height} />
                {at === 1 && (
                  <text x={x} y={HEIGHT + 12} textAnchor="middle">
                    {texts.evaluation.measures[measure]}
                  </text>
                )}
              </g>
            );
          }),
        )}
      </svg>
      <figcaption className="quiet">{texts.evaluation.means}</figcaption>
    </figure>
  );
}

/** Plots each question's gain above the line, or its loss below it. */
function Gains({ all }: { all: readonly { question: string; gain: number }[] }) {
  const width = (GROUP * MEASURES.length) / Math.max(8, all.length);
  const middle = HEIGHT / 2;
  return (
    <figure>
      <svg aria-hidden="true" viewBox={`0 0 ${GROUP * MEASURES.length} ${HEIGHT + 16}`}>
        <line x1={0} x2={GROUP * MEASURES.length} y1={middle} y2={middle} stroke="currentColor" />
        {all.map(({ question, gain }, at) => (
          <rect
            key={question}
            className={gain < 0 ? "lost" : "now"}
            x={at * width}
            y={gain > 0 ? middle - gain * middle : middle}
            width={Math.max(1, width - 2)}
            height={Math.max(1, Math.abs(gain) * middle)}
          />
        ))}
      </svg>
      <figcaption className="quiet">
        {sentences.gained(
          all.filter(({ gain }) => gain > 0).length,
          all.filter(({ gain }) => gain < 0).length,
          all.filter(({ gain }) => gain === 0).length,
        )}
      </figcaption>
    </figure>
  );
}
