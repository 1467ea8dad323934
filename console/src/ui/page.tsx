import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";

/** The widths of pages: `list` fills the window, `read` is for texts, `board` for charts and tables. */
const WIDTHS = { read: "max-w-[60rem]", board: "max-w-[105rem]" } as const;

/** A page whose contents scroll below its head. */
export function Page({
  head,
  width = "board",
  children,
}: {
  head?: ReactNode;
  width?: keyof typeof WIDTHS;
  children: ReactNode;
}) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      {head}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <div className="min-h-0 grow overflow-auto" data-scroll="" tabIndex={0}>
        <div className={cn("mx-auto flex w-full flex-col gap-5 p-5 max-md:p-4", WIDTHS[width])}>{children}</div>
      </div>
    </div>
  );
}
