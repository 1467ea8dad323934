import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";
import { BADGE, DOT } from "./variants.ts";

/** A short word about a thing: its kind or its state. */
export function Badge({
  tone = "neutral",
  title,
  children,
}: {
  tone?: keyof typeof BADGE;
  title?: string | undefined;
  children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={cn("inline-flex max-w-full items-center gap-1 rounded px-1.5 text-xs leading-5", BADGE[tone])}
    >
      <span className="truncate">{children}</span>
    </span>
  );
}

/** A square in the colour of a kind of memory or of a state. The words beside it say the same. */
export function Dot({ of, className }: { of: keyof typeof DOT; className?: string }) {
  return <span aria-hidden="true" className={cn("inline-block size-2 shrink-0 rounded-[2px]", DOT[of], className)} />;
}
