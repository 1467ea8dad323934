import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { sentences } from "../texts/sentences.ts";

/** Draws each day as one bar. A line between two days would show values that were never stored. */
const bars = uPlot.paths.bars?.({ size: [0.7, 60] });
const BARS = bars ? { paths: bars } : {};
const HALF_DAY = 43_200;
const short = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });
const dayOf = (seconds: number) => short.format(new Date(seconds * 1000));

/**
 * Shows values by day as bars, and as a table for readers who cannot see the bars.
 *
 * @param points the days as `YYYY-MM-DD`, ascending
 */
export function Chart({ label, points }: { label: string; points: readonly { day: string; value: number }[] }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || points.length === 0) return;
    const ink = getComputedStyle(element).color;
    const axis = { stroke: ink, grid: { stroke: "#8883" } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: 180,
        // Half a day is added on both sides. Otherwise the outer bars would be cut off.
        scales: {
          x: { range: (_, least, most) => [least - HALF_DAY, most + HALF_DAY] },
          y: { range: (_, least, most) => [Math.min(0, least), Math.max(1, most)] },
        },
        // The days are the service's days, in UTC, whatever the browser's time zone.
        tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
        axes: [
          { ...axis, values: (_, ticks) => ticks.map(dayOf) },
          { ...axis, size: 70 },
        ],
        series: [{}, { label, stroke: "#4c6ef5", fill: "#4c6ef5aa", ...BARS, points: { show: false } }],
      },
      [points.map(({ day }) => Date.parse(day) / 1000), points.map(({ value }) => value)],
      element,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 180 }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [label, points]);
  return (
    <figure>
      <div ref={box} aria-hidden="true" />
      <figcaption>
        <details>
          <summary>{sentences.asTable(label)}</summary>
          <table>
            <tbody>
              {points.map(({ day, value }) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </figcaption>
    </figure>
  );
}
