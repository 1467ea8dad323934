import { countOf } from "../../../base/text/count-of.ts";
import { describeRun, differenceRows, type EvalReport, figureRows } from "./eval-report.ts";
import { escapeHtml, foreign, htmlTable } from "./html.ts";
import { STYLE } from "./html-style.ts";
import type { MeasuredRun } from "./summarise.ts";
import { differencePlot, latencyPlot, measureBars } from "./svg-plots.ts";
import type { WorstQuery } from "./worst-queries.ts";

/** The content of the page besides the figures. */
export interface PageData {
  runs: readonly MeasuredRun[];
  worst: { run: string; queries: readonly WorstQuery[] } | undefined;
  version: string;
  at: string;
}

/**
 * Returns a report as one HTML file that needs no other file. It has no script and makes no request
 * (its content security policy forbids both). It is light or dark by the reader's system. Each plot
 * has a title, and its figures stand in a table.
 */
export function htmlReport(report: EvalReport, data: PageData): string {
  const title = `Evaluation of ${report.name}`;
  const figures = figureRows(report.runs);
  const sections = [
    section(
      "Figures",
      measureBars(report.runs),
      htmlTable("Means, and below each its 95 % bootstrap interval", figures.head, escaped(figures.rows)),
    ),
    ...armSection(data.runs),
    ...report.comparisons.map((comparison) => {
      const { head, rows } = differenceRows(comparison);
      const heading = `${comparison.name} minus ${comparison.before}`;
      const plot = differencePlot(`nDCG@10 per query, ${heading}`, comparison.differences);
      return section(heading, plot, htmlTable(countOf(comparison.queries, "query", "queries"), head, escaped(rows)));
    }),
    section("Latency", latencyPlot(data.runs), `<p>${escapeHtml(`${report.clients} at once.`)}</p>`),
    ...(data.worst ? [worstSection(data.worst)] : []),
    ...(report.notes.length > 0
      ? [section("Notes", `<ul>${report.notes.map((note) => `<li>${foreign(note)}</li>`).join("")}</ul>`)]
      : []),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${foreign(title)}</h1>
<p>${foreign(describeRun(report))}</p>
${sections.join("\n")}
<footer>recollect eval ${escapeHtml(data.version)} · ${escapeHtml(data.at)} · ${escapeHtml(report.server)}</footer>
</main>
</body>
</html>
`;
}

/**
 * Returns a section that compares hybrid search with the better arm. Hybrid search is meant to be
 * no worse than this arm; for a query where it is worse, the arm alone knew better.
 */
function armSection(runs: readonly MeasuredRun[]): string[] {
  const find = (name: string) => runs.find((run) => run.name === name);
  const [hybrid, keyword, vector] = [
    runs.find((run) => run.name.startsWith("hybrid")),
    find("keyword"),
    find("vector"),
  ];
  if (!hybrid || !keyword || !vector) return [];
  const of = (run: MeasuredRun) => run.measures.ndcg10.mean;
  const better = of(keyword) > of(vector) ? keyword : vector;
  const differences = hybrid.queries.map(
    ({ measures }, index) => measures.ndcg10 - (better.queries[index]?.measures.ndcg10 ?? 0),
  );
  const title = `${hybrid.name} minus ${better.name}, the better arm`;
  return [section(title, differencePlot(`nDCG@10 per query, ${title}`, differences))];
}

function worstSection({ run, queries }: { run: string; queries: readonly WorstQuery[] }): string {
  const rows = queries.map(({ id, text, ndcg10, expected, first }) => [
    foreign(id),
    foreign(text),
    ndcg10.toFixed(3),
    expected
      .map((one) => {
        const place = one.rank === undefined ? "not among the first 100" : `rank ${one.rank}`;
        return `<p><b>${foreign(one.id)}</b> (${place})<br>${foreign(one.text)}</p>`;
      })
      .join(""),
    first ? `<p><b>${foreign(first.id)}</b><br>${foreign(first.text)}</p>` : "nothing",
  ]);
  return section(
    "Worst queries",
    htmlTable(`Lowest nDCG@10 of the run ${run}`, ["query", "text", "nDCG@10", "expected", "came first"], rows),
  );
}

function escaped(rows: readonly (readonly string[])[]): string[][] {
  return rows.map((row) => row.map(escapeHtml));
}

function section(title: string, ...parts: string[]): string {
  return `<section><h2>${escapeHtml(title)}</h2>${parts.join("\n")}</section>`;
}
