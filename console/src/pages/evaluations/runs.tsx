import type { Figures } from "../../lib/eval-runs.ts";
import { moment, percent } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Section } from "../../ui/section.tsx";
import type { ShownRun } from "./use-runs.ts";

interface RunsProps {
  /** The runs, newest first. */
  runs: readonly ShownRun[];
  /** The id of the run with which the newest is compared. */
  compared: string | undefined;
  onCompare: (id: string) => void;
}

const MEASURES = ["first", "five", "ten", "reciprocal"] as const satisfies readonly (keyof Figures)[];

/** Lists the runs with their figures, and lets the user choose the one to compare the newest with. */
export function Runs({ runs, compared, onCompare }: RunsProps) {
  const newest = runs.find(({ state }) => state === "done");
  const columns: Column<ShownRun>[] = [
    { id: "when", head: texts.columns.when, show: ({ at }) => moment(at), sortBy: ({ at }) => at },
    { id: "with", head: texts.evaluation.with, show: ({ label }) => label },
    ...MEASURES.map(
      (measure): Column<ShownRun> => ({
        id: measure,
        head: texts.evaluation.measures[measure],
        end: true,
        show: ({ figures }) => figures && shown(measure, figures[measure]),
        sortBy: ({ figures }) => figures?.[measure] ?? -1,
      }),
    ),
    { id: "state", head: texts.columns.state, show: (run) => <State run={run} /> },
    {
      id: "compare",
      head: texts.evaluation.compareWith,
      show: (run) =>
        run.state === "done" &&
        run !== newest && (
          <input
            type="radio"
            name="compared"
            className="size-4"
            aria-label={texts.sentences.compareWith(moment(run.at))}
            checked={run.id === compared}
            onChange={() => onCompare(run.id)}
          />
        ),
    },
  ];
  return (
    <Section title={texts.evaluation.runs}>
      <DataTable
        name="runs"
        label={texts.evaluation.tableOfRuns}
        rows={runs}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title={texts.evaluation.noRun}>{texts.search.saved}</Empty>}
      />
    </Section>
  );
}

function State({ run: { state, done, questions } }: { run: ShownRun }) {
  if (state === "waiting") return <Progress done={done} total={questions} label={texts.evaluation.running} />;
  return state === "failed" ? <Badge tone="bad">{texts.evaluation.failed}</Badge> : null;
}

const shown = (measure: keyof Figures, value: number) => (measure === "reciprocal" ? value.toFixed(2) : percent(value));
