import { type PointerEvent, useId, useRef, useState } from "react";
import { labelsBelow, linesUpTo } from "../lib/chart-scale.ts";
import { cn } from "../lib/cn.ts";
import { texts } from "../texts/texts.ts";
import { useWidth } from "./use-width.ts";

const TONES = {
  fact: "var(--color-fact)",
  file: "var(--color-file)",
  chat: "var(--color-chat)",
  shared: "var(--color-shared)",
  accent: "var(--color-accent)",
  bad: "var(--color-bad)",
  quiet: "var(--color-border-strong)",
} as const;

export interface Series {
  name: string;
  tone: keyof typeof TONES;
  /** undefined: nothing was measured there. A line has a gap. */
  values: readonly (number | undefined)[];
}

interface ChartProps {
  /** The title of the chart, which screen readers announce. */
  label: string;
  /** `bars` and `area` are stacked; `lines` are not. */
  kind: "bars" | "area" | "lines";
  /** The name of each place on the horizontal axis, such as a day. */
  names: readonly string[];
  series: readonly Series[];
  /** Formats a value. */
  show?: (value: number) => string;
  height?: number;
}

const [TOP, BOTTOM, LEFT] = [8, 20, 44];

/**
 * Draws values over time. The pointer shows the values of a place, and a table has all of them for
 * those who cannot see the picture.
 */
export function Chart({ label, kind, names, series, show = String, height = 160 }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<number>();
  const tops = stackedTops(series, kind !== "lines");
  const lines = linesUpTo(Math.max(0, ...tops.flat().filter((top) => top !== undefined)));
  const most = lines.at(-1) ?? 1;
  const inner = Math.max(1, width - LEFT);
  const slot = kind === "bars" ? inner / Math.max(1, names.length) : inner / Math.max(1, names.length - 1);
  const x = (place: number) => LEFT + (kind === "bars" ? (place + 0.5) * slot : place * slot);
  const y = (value: number) => TOP + (1 - value / most) * (height - TOP - BOTTOM);
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const from = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT;
    const place = kind === "bars" ? Math.floor(from / slot) : Math.round(from / slot);
    setAt(place >= 0 && place < names.length ? place : undefined);
  };
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <Legend series={series} at={at} names={names} show={show} />
      <div ref={box} className="min-w-0">
        {width > 0 && (
          <svg
            role="img"
            aria-label={label}
            width={width}
            height={height}
            onPointerMove={follow}
            onPointerLeave={() => setAt(undefined)}
            className="block touch-pan-y overflow-visible"
          >
            <Axes lines={lines} names={names} width={width} height={height} x={x} y={y} show={show} />
            {series.map((one, index) => (
              <Shape
                key={one.name}
                kind={kind}
                color={TONES[one.tone]}
                tops={tops[index] ?? []}
                bottoms={kind === "lines" || index === 0 ? [] : (tops[index - 1] ?? [])}
                barWidth={Math.max(1, Math.min(28, slot * 0.7))}
                x={x}
                y={y}
              />
            ))}
            {at !== undefined && (
              <line
                x1={x(at)}
                x2={x(at)}
                y1={TOP}
                y2={height - BOTTOM}
                stroke="var(--color-fg-3)"
                strokeDasharray="2 3"
              />
            )}
          </svg>
        )}
      </div>
      <ChartTable label={label} names={names} series={series} show={show} />
    </figure>
  );
}

interface ShapeProps {
  kind: ChartProps["kind"];
  color: string;
  tops: readonly (number | undefined)[];
  bottoms: readonly (number | undefined)[];
  barWidth: number;
  x: (place: number) => number;
  y: (value: number) => number;
}

function Shape({ kind, color, tops, bottoms, barWidth, x, y }: ShapeProps) {
  const bottom = (at: number) => bottoms[at] ?? 0;
  if (kind === "bars")
    return tops.map((top, at) =>
      top === undefined || top === bottom(at) ? null : (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is what stands at its place.
          key={at}
          x={x(at) - barWidth / 2}
          y={y(top)}
          width={barWidth}
          height={Math.max(1, y(bottom(at)) - y(top))}
          rx={Math.min(2, barWidth / 3)}
          fill={color}
        />
      ),
    );
  if (kind === "lines") return <Line tops={tops} color={color} x={x} y={y} />;
  const upper = tops.map((top, at) => `${x(at)} ${y(top ?? 0)}`);
  const lower = tops.map((_, at) => `${x(at)} ${y(bottom(at))}`).reverse();
  return (
    <>
      <path d={`M${[...upper, ...lower].join("L")}Z`} fill={color} opacity="0.28" />
      <path d={`M${upper.join("L")}`} fill="none" stroke={color} strokeWidth="1.5" strokeLinejoin="round" />
    </>
  );
}

/** A line through the values, with a gap where nothing was measured and a point for a value alone. */
function Line({ tops, color, x, y }: Pick<ShapeProps, "tops" | "color" | "x" | "y">) {
  const isAlone = (at: number) => tops[at - 1] === undefined && tops[at + 1] === undefined;
  const steps = tops.map((top, at) =>
    top === undefined ? "" : `${tops[at - 1] === undefined ? "M" : "L"}${x(at)} ${y(top)}`,
  );
  return (
    <>
      <path d={steps.join("")} fill="none" stroke={color} strokeWidth="1.75" strokeLinejoin="round" />
      {tops.map((top, at) =>
        top === undefined || !isAlone(at) ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a point is what stands at its place.
          <circle key={at} cx={x(at)} cy={y(top)} r={3} fill={color} />
        ),
      )}
    </>
  );
}

interface AxesProps extends Pick<ShapeProps, "x" | "y"> {
  lines: readonly number[];
  names: readonly string[];
  width: number;
  height: number;
  show: (value: number) => string;
}

function Axes({ lines, names, width, height, x, y, show }: AxesProps) {
  return (
    <g className="tabular fill-fg-2 text-[11px]">
      {[0, ...lines].map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={width} y1={y(value)} y2={y(value)} stroke="var(--color-border)" />
          <text x={LEFT - 8} y={y(value) + 4} textAnchor="end">
            {show(value)}
          </text>
        </g>
      ))}
      {labelsBelow(names.length, width - LEFT).map((at, index, all) => (
        <text
          key={at}
          x={x(at)}
          y={height - 4}
          textAnchor={
            index === all.length - 1 && all.length > 1 ? "end" : index === 0 && all.length > 1 ? "start" : "middle"
          }
        >
          {names[at]}
        </text>
      ))}
    </g>
  );
}

/** Names the series; while the pointer is over the chart, with their values there. */
function Legend({
  series,
  at,
  names,
  show,
}: {
  series: readonly Series[];
  at: number | undefined;
  names: readonly string[];
  show: (value: number) => string;
}) {
  return (
    <p aria-hidden="true" className="flex min-h-4 flex-wrap gap-x-4 gap-y-1 text-xs text-fg-2">
      {series.map(({ name, tone, values }) => (
        <span key={name} className="flex items-center gap-1.5">
          <svg aria-hidden="true" width="8" height="8">
            <rect width="8" height="8" rx="2" fill={TONES[tone]} />
          </svg>
          {name}
          {at !== undefined && <strong className="tabular text-fg">{shownAt(values, at, show)}</strong>}
        </span>
      ))}
      {at !== undefined && <span className="ms-auto">{names[at]}</span>}
    </p>
  );
}

function ChartTable({
  label,
  names,
  series,
  show,
}: Pick<ChartProps, "label" | "names" | "series"> & { show: (value: number) => string }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <figcaption className="text-xs">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="text-fg-2 underline decoration-border-strong underline-offset-2 hover:text-fg"
      >
        {texts.ui.asTable}
        <span className="sr-only">: {label}</span>
      </button>
      <section
        id={id}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        aria-label={texts.ui.asTable}
        className={cn("mt-2 max-h-64 overflow-auto", !open && "hidden")}
      >
        {open && (
          <table className="tabular w-full">
            <thead>
              <tr>
                <td />
                {series.map(({ name }) => (
                  <th key={name} className="px-2 text-end">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {names.map((name, at) => (
                <tr key={name} className="border-t border-border">
                  <th scope="row" className="py-0.5 text-start font-normal">
                    {name}
                  </th>
                  {series.map((one) => (
                    <td key={one.name} className="px-2 text-end">
                      {shownAt(one.values, at, show)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </figcaption>
  );
}

/** Returns the upper end of each value: the value itself, or the sum of it and those below it. */
function stackedTops(series: readonly Series[], stacked: boolean): (number | undefined)[][] {
  const tops: (number | undefined)[][] = [];
  for (const { values } of series) {
    const below = stacked ? tops.at(-1) : undefined;
    tops.push(values.map((value, at) => (stacked ? (value ?? 0) + (below?.[at] ?? 0) : value)));
  }
  return tops;
}

function shownAt(values: Series["values"], at: number, show: (value: number) => string): string {
  const value = values[at];
  return value === undefined ? "–" : show(value);
}
