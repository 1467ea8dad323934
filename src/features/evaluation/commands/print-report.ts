import { countOf } from "../../../base/text/count-of.ts";
import type { CliContext } from "../../../cli/shell/context.ts";
import { paint } from "../../../cli/shell/paint.ts";
import { printableLine } from "../../../cli/shell/printable.ts";
import { table } from "../../../cli/shell/table.ts";
import { describeRun, differenceRows, type EvalReport, figureRows, signed } from "./eval-report.ts";
import type { EvalQuery } from "./read-dataset.ts";

/** Prints a report: tables for people, or one JSON object. */
export function printReport(
  context: CliContext,
  report: EvalReport,
  { json, queries }: { json: boolean; queries: readonly EvalQuery[] },
): void {
  if (json) {
    const comparisons = report.comparisons.map(({ differences: _differences, ...comparison }) => comparison);
    context.stdout.write(`${JSON.stringify({ ...report, comparisons })}\n`);
    return;
  }
  const { head, rows } = figureRows(report.runs);
  const notes = report.notes.map((note) => `${paint("yellow", "note:", context.colour)} ${printableLine(note)}\n`);
  const parts = [
    `${paint("bold", printableLine(describeRun(report)), context.colour)}\n`,
    report.agent ? "\n" : `sent ${report.sent} · unchanged ${report.unchanged} · removed ${report.removed}\n\n`,
    table(head, rows),
    paint("dim", "below each run: 95 % bootstrap intervals\n", context.colour),
    ...comparisonText(report, queries),
    ...(notes.length > 0 ? ["\n", ...notes] : []),
    ...(report.agent ? [] : [`\n${whatRemains(report)}\n`]),
  ];
  context.stdout.write(parts.join(""));
}

function comparisonText({ comparisons }: EvalReport, queries: readonly EvalQuery[]): string[] {
  const texts = new Map(queries.map((query) => [query.id, query.text]));
  return comparisons.flatMap((comparison) => {
    const { head, rows } = differenceRows(comparison);
    const changed = comparison.changed.map(({ id, before, after }) => [
      ...[signed(after - before), before.toFixed(3), after.toFixed(3), id],
      (texts.get(id) ?? "").replace(/\s+/g, " ").slice(0, 100),
    ]);
    const title = `\n${comparison.name} minus ${comparison.before}, ${countOf(comparison.queries, "query", "queries")}\n`;
    return [
      printableLine(title.trim()).replace(/^/, "\n").concat("\n"),
      table(head, rows),
      ...(changed.length === 0
        ? ["no query's nDCG@10 changed\n"]
        : ["\nqueries that changed most\n", table(["nDCG@10", "before", "after", "query", "text"], changed)]),
    ];
  });
}

function whatRemains({ erased, agents }: EvalReport): string {
  if (erased > 0) return `Erased ${countOf(erased, "agent")}.`;
  return agents === 1
    ? "The agent stays, so that the next run is quick; --erase removes it."
    : `The ${agents} agents stay, so that the next run is quick; --erase removes them.`;
}
