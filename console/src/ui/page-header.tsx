import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";

interface PageHeaderProps {
  title: string;
  /** A few words beside the title, such as a count. */
  note?: ReactNode;
  /** Views and actions, at the end of the line. */
  actions?: ReactNode;
  /** Filters, on a line of their own. */
  children?: ReactNode;
  /** Whether a phone leaves the head out, because it shows one thing of the page. */
  inDetail?: boolean;
}

/** The head of a page: its title, what one can do with it, and its filters. */
export function PageHeader({ title, note, actions, children, inDetail = false }: PageHeaderProps) {
  return (
    <>
      {inDetail && <h1 className="sr-only md:hidden">{title}</h1>}
      <header
        className={cn(
          "flex shrink-0 flex-col gap-3 border-b border-border px-5 py-4 max-md:px-4 max-md:py-3",
          inDetail && "max-md:hidden",
        )}
      >
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h1 className="text-xl font-semibold">{title}</h1>
          {note !== undefined && <p className="text-sm text-fg-2">{note}</p>}
          {actions && <div className="ms-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
      </header>
    </>
  );
}
