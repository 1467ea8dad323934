import { percent, shortDay } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Chart } from "../../ui/chart.tsx";
import { Section } from "../../ui/section.tsx";
import type { ShownRun } from "./use-runs.ts";

const MOST = 30;

/** Shows how the figures went from run to run. */
export function Trend({ runs }: { runs: readonly ShownRun[] }) {
  const shown = runs.slice(0, MOST).reverse();
  const values = (name: "first" | "ten" | "reciprocal") => shown.map(({ figures }) => figures?.[name]);
  return (
    <Section title={texts.evaluation.trend}>
      <Chart
        label={texts.evaluation.trend}
        kind="lines"
        names={shown.map(({ at }, place) => texts.evaluation.runAt(place + 1, shortDay(at)))}
        show={percent}
        series={[
          { name: texts.evaluation.measures.first, tone: "fact", values: values("first") },
          { name: texts.evaluation.measures.ten, tone: "file", values: values("ten") },
          { name: texts.evaluation.measures.reciprocal, tone: "accent", values: values("reciprocal") },
        ]}
      />
    </Section>
  );
}
