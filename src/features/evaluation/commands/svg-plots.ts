import { countOf } from "../../../base/text/count-of.ts";
import { MEASURES, type MeasureName } from "../../../relevance/measures/measures.ts";
import { quantile } from "../../../relevance/measures/statistics.ts";
import { escapeHtml } from "./html.ts";
import type { MeasuredRun, RunSummary } from "./summarise.ts";

const WIDTH = 760;
const HEIGHT = 260;
const LEFT = 48;
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 30;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
/** The number of colours in the stylesheet. */
const COLOURS = 6;
const SHOWN: readonly MeasureName[] = ["ndcg10", "recall1", "recall5", "recall10", "recall100"];
/** The most bars of a plot; more bars than pixels show nothing more. */
const MOST_BARS = PLOT_WIDTH;
const BINS = 40;

/** Draws bars for each measure, one bar per run, with whiskers for the 95 % interval. */
export function measureBars(runs: readonly RunSummary[]): string {
  const groupWidth = PLOT_WIDTH / SHOWN.length;
  const barWidth = Math.min(40, (groupWidth * 0.8) / Math.max(1, runs.length));
  const y = (value: number) => TOP + PLOT_HEIGHT * (1 - value);
  const bars = SHOWN.flatMap((name, group) =>
    runs.map((run, index) => {
      const { mean, low, high } = run.measures[name];
      const x = LEFT + groupWidth * group + (groupWidth - barWidth * runs.length) / 2 + barWidth * index;
      const middle = x + barWidth / 2;
      const title = `${run.name}, ${MEASURES[name]}: ${mean.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`;
      return `<g><title>${escapeHtml(title)}</title><rect class="c${index % COLOURS}" x="${n(x + 1)}" y="${n(y(mean))}" width="${n(barWidth - 2)}" height="${n(PLOT_HEIGHT * mean)}"/><path class="whisker" d="M${n(middle)} ${n(y(low))}V${n(y(high))}M${n(middle - 4)} ${n(y(low))}h8M${n(middle - 4)} ${n(y(high))}h8"/></g>`;
    }),
  );
  const names = SHOWN.map((name, group) => label(LEFT + groupWidth * (group + 0.5), HEIGHT - 8, MEASURES[name]));
  const grid = [0, 0.25, 0.5, 0.75, 1].map((value) => gridLine(y(value), value.toFixed(2)));
  return `${svg("nDCG@10 and recall of each run with 95 % intervals", [...grid, ...bars, ...names])}${legend(runs.map(({ name }, index) => ({ name, index })))}`;
}

/**
 * Draws the difference of each query, sorted: how many queries gained, how many lost, and how much.
 */
export function differencePlot(title: string, differences: readonly number[]): string {
  const sorted = [...differences].sort((a, b) => b - a);
  const bars = Math.min(MOST_BARS, sorted.length);
  const shown = Array.from({ length: bars }, (_, bar) => sorted[Math.floor((bar * sorted.length) / bars)] ?? 0);
  const step = PLOT_WIDTH / Math.max(1, bars);
  const y = (value: number) => TOP + (PLOT_HEIGHT * (1 - value)) / 2;
  const area = (side: 1 | -1) =>
    shown.map((value, bar) => `L${n(LEFT + bar * step)} ${n(y(side * Math.max(0, side * value)))}h${n(step)}`).join("");
  const paths = ([1, -1] as const).map(
    (side) =>
      `<path class="${side === 1 ? "gain" : "loss"}" d="M${LEFT} ${n(y(0))}${area(side)}L${n(LEFT + PLOT_WIDTH)} ${n(y(0))}Z"/>`,
  );
  const grid = [-1, -0.5, 0, 0.5, 1].map((value) => gridLine(y(value), value.toFixed(1)));
  const up = differences.filter((value) => value > 0).length;
  const down = differences.filter((value) => value < 0).length;
  const others = [down, differences.length - up - down].map((count) => count.toLocaleString("en-US"));
  const note = `${countOf(up, "query", "queries")} better, ${others[0]} worse, ${others[1]} the same`;
  return svg(`${title}: ${note}`, [...grid, ...paths, label(LEFT + PLOT_WIDTH / 2, HEIGHT - 8, note)]);
}

/**
 * Draws how the times of the requests are distributed, one line per run, up to the slowest run's
 * 99.5th percentile.
 */
export function latencyPlot(runs: readonly MeasuredRun[]): string {
  const timed = runs.map((run, index) => ({ run, index })).filter(({ run }) => run.milliseconds.length > 0);
  const most = Math.max(1, ...timed.map(({ run }) => quantile(run.milliseconds, 0.995)));
  const lines = timed.map(({ run, index }) => {
    const shares = histogram(run.milliseconds, most);
    return { name: run.name, index, shares };
  });
  const highest = Math.max(1e-9, ...lines.flatMap(({ shares }) => shares));
  const x = (bin: number) => LEFT + (PLOT_WIDTH * bin) / BINS;
  const y = (share: number) => TOP + PLOT_HEIGHT * (1 - share / highest);
  const paths = lines.map(
    ({ name, index, shares }) =>
      `<path class="line s${index % COLOURS}" d="M${n(x(0))} ${n(y(0))}${shares
        .map((share, bin) => `L${n(x(bin))} ${n(y(share))}H${n(x(bin + 1))}`)
        .join("")}L${n(x(BINS))} ${n(y(0))}"><title>${escapeHtml(name)}</title></path>`,
  );
  const grid = [0, 0.5, 1].map((part) => gridLine(y(part * highest), `${(part * highest * 100).toFixed(0)} %`));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) =>
    label(x(part * BINS), HEIGHT - 8, `${(part * most).toFixed(0)} ms`),
  );
  const title = "Share of requests by time";
  return `${svg(title, [...grid, ...paths, ...ticks])}${legend(lines)}`;
}

function histogram(values: readonly number[], most: number): number[] {
  const shares = new Array<number>(BINS).fill(0);
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.floor((value / most) * BINS));
    shares[bin] = (shares[bin] ?? 0) + 1 / values.length;
  }
  return shares;
}

function svg(title: string, parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(title)}"><title>${escapeHtml(title)}</title>${parts.join("")}</svg>`;
}

function gridLine(y: number, text: string): string {
  return `<path class="grid" d="M${LEFT} ${n(y)}h${PLOT_WIDTH}"/><text class="end" x="${LEFT - 6}" y="${n(y + 4)}">${escapeHtml(text)}</text>`;
}

function label(x: number, y: number, text: string): string {
  return `<text class="middle" x="${n(x)}" y="${n(y)}">${escapeHtml(text)}</text>`;
}

function legend(runs: readonly { name: string; index: number }[]): string {
  const items = runs.map(({ name, index }) => `<li><i class="b${index % COLOURS}"></i>${escapeHtml(name)}</li>`);
  return `<ul class="legend">${items.join("")}</ul>`;
}

/** Returns a coordinate, rounded to a tenth of a unit, which is less than a pixel. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
