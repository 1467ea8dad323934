import { cn } from "../lib/cn.ts";

/** A share from 0 to 1 as a bar, with its name and its value as text. */
export function Meter({
  label,
  value,
  text,
  warn = false,
}: {
  label: string;
  value: number;
  text: string;
  warn?: boolean;
}) {
  const share = Math.min(1, Math.max(0, value));
  return (
    <div className="grid grid-cols-[7rem_minmax(3rem,1fr)_minmax(0,14rem)] items-center gap-3 text-sm max-md:grid-cols-[6rem_minmax(3rem,1fr)]">
      <span className="truncate text-fg-2">{label}</span>
      <svg aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-full">
        <rect width="100" height="6" rx="3" className="fill-border" />
        <rect width={share * 100} height="6" rx="3" className={cn(warn ? "fill-bad" : "fill-accent")} />
      </svg>
      <span className="tabular text-xs text-fg-2 max-md:col-span-2">{text}</span>
    </div>
  );
}
