import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";
import { Link, type LinkProps } from "../router/link.tsx";

const LOOK_CLASS = "flex min-w-0 flex-col gap-1 rounded-lg border border-border bg-surface p-4";

interface StatProps {
  label: string;
  value: string;
  /** A line below the value, such as a comparison or a limit. */
  note?: ReactNode;
  /** The values of the last days or hours, oldest first. */
  points?: readonly number[] | undefined;
  /** The view that tells more. */
  link?: LinkProps;
}

/** A number with its name, its recent course, and a link to what is behind it. */
export function Stat({ label, value, note, points, link }: StatProps) {
  const body = (
    <>
      <span className="text-sm text-fg-2">{label}</span>
      <span className="flex items-end justify-between gap-2">
        <span className="tabular text-2xl font-semibold whitespace-nowrap">{value}</span>
        {points && points.length > 1 && <Sparkline points={points} />}
      </span>
      {note && <span className="text-xs text-fg-2">{note}</span>}
    </>
  );
  if (!link) return <div className={LOOK_CLASS}>{body}</div>;
  return (
    <Link {...link} className={cn(LOOK_CLASS, "transition-colors hover:border-border-strong hover:bg-hover")}>
      {body}
    </Link>
  );
}

const [WIDTH, HEIGHT] = [88, 28];

/** The course of a few values as a line. Screen readers read the number beside the line. */
export function Sparkline({ points }: { points: readonly number[] }) {
  const most = Math.max(1, ...points);
  const step = WIDTH / Math.max(1, points.length - 1);
  const path = points.map(
    (value, at) => `${at === 0 ? "M" : "L"}${at * step} ${HEIGHT - 2 - (value / most) * (HEIGHT - 4)}`,
  );
  return (
    <svg
      aria-hidden="true"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="text-accent max-md:hidden"
    >
      <path d={path.join("")} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
