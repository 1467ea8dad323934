import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";

interface ListRowProps {
  chosen: boolean;
  onChoose: () => void;
  /** At the start: a dot, an icon or a checkbox. */
  lead?: ReactNode;
  title: ReactNode;
  /** The line below the title. */
  meta?: ReactNode;
  /** At the end of the first line, such as a day. */
  end?: ReactNode;
  /** Actions that appear at the pointer, or when the row has the focus. */
  actions?: ReactNode;
  /** Whether the Tab key reaches this row; the arrow keys reach all rows. */
  reachable?: boolean;
}

/** A row of a list whose things open beside it. */
export function ListRow({ chosen, onChoose, lead, title, meta, end, actions, reachable = true }: ListRowProps) {
  return (
    <div
      className={cn(
        "group relative flex items-start gap-3 border-b border-border px-5 py-2 max-md:px-4",
        chosen ? "bg-selected shadow-[inset_2px_0_0_var(--color-accent)]" : "hover:bg-hover",
      )}
    >
      {lead && <span className="flex h-6 shrink-0 items-center">{lead}</span>}
      <button
        type="button"
        data-row=""
        aria-current={chosen || undefined}
        tabIndex={reachable ? 0 : -1}
        onClick={onChoose}
        className="flex min-w-0 grow items-start gap-3 text-start before:absolute before:inset-0 before:content-[''] focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:-outline-offset-2 focus-visible:before:outline-accent"
      >
        <span className="flex min-w-0 grow flex-col gap-0.5">
          <span className="text-base leading-6 [overflow-wrap:anywhere]">{title}</span>
          {meta && <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-xs text-fg-2">{meta}</span>}
        </span>
        {end && <span className="tabular shrink-0 text-xs leading-6 text-fg-2">{end}</span>}
      </button>
      {actions && (
        <span className="absolute end-4 bottom-1.5 z-1 flex gap-1 rounded-md bg-surface opacity-0 shadow-sm transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 max-md:hidden">
          {actions}
        </span>
      )}
    </div>
  );
}
