import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";

interface SegmentedProps<Value extends string> {
  label: string;
  value: Value;
  /** Each value with its name. */
  of: readonly (readonly [value: Value, label: ReactNode])[];
  onChoose: (value: Value) => void;
}

/** Two to four views of the same things. */
export function Segmented<Value extends string>({ label, value, of, onChoose }: SegmentedProps<Value>) {
  return (
    <fieldset
      aria-label={label}
      className="inline-flex max-w-full gap-0.5 overflow-x-auto rounded-md border border-border bg-sunken p-0.5"
    >
      {of.map(([one, name]) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === value}
          onClick={() => onChoose(one)}
          className={cn(
            "h-7 rounded px-2.5 text-sm whitespace-nowrap transition-colors max-md:min-h-9",
            one === value ? "bg-surface font-semibold shadow-sm" : "text-fg-2 hover:text-fg",
          )}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
