import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { sentences } from "../lib/sentences.ts";

/** Values by day as a line, and as a table for those who do not see it. @param points days as `YYYY-MM-DD`, ascending */
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
        scales: { y: { range: (_, least, most) => [Math.min(0, least), Math.max(1, most)] } },
        axes: [axis, { ...axis, size: 70 }],
        series: [{}, { label, stroke: "#4c6ef5", width: 2, fill: "#4c6ef533", points: { show: points.length < 32 } }],
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
