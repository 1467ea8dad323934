import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";

interface SectionProps {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A card with a heading. */
export function Section({ title, note, actions, className, children }: SectionProps) {
  return (
    <section
      aria-label={title}
      className={cn("flex min-w-0 flex-col gap-3 rounded-lg border border-border bg-surface p-4", className)}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-base font-semibold">{title}</h2>
        {note !== undefined && <span className="text-sm text-fg-2">{note}</span>}
        {actions && <div className="ms-auto flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A part of a page with a heading and no border. */
export function Part({ title, note, className, children }: SectionProps) {
  return (
    <section aria-label={title} className={cn("flex min-w-0 flex-col gap-2", className)}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-base font-semibold">{title}</h2>
        {note !== undefined && <span className="text-sm text-fg-2">{note}</span>}
      </div>
      {children}
    </section>
  );
}
