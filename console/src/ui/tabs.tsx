import { type KeyboardEvent, type ReactNode, useId } from "react";
import { cn } from "../lib/cn.ts";
import { stepAlong } from "../lib/step-of.ts";

interface TabsProps<Value extends string> {
  label: string;
  value: Value;
  of: readonly (readonly [value: Value, label: ReactNode])[];
  onChoose: (value: Value) => void;
  /** The contents of the chosen tab. */
  children: ReactNode;
  className?: string;
}

/** Tabs: one part is shown at a time, and the arrow keys choose the part. */
export function Tabs<Value extends string>({ label, value, of, onChoose, children, className }: TabsProps<Value>) {
  const id = useId();
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const step = stepAlong(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const at = of.findIndex(([one]) => one === value);
    const next = of[(at + step + of.length) % of.length]?.[0];
    if (next === undefined) return;
    onChoose(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={walk}
        className={cn("flex gap-4 overflow-x-auto border-b border-border", className)}
      >
        {of.map(([one, name]) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`${id}-${one}`}
            data-tab={one}
            aria-selected={one === value}
            aria-controls={`${id}-panel`}
            tabIndex={one === value ? 0 : -1}
            onClick={() => onChoose(one)}
            className={cn(
              "-mb-px h-9 border-b-2 text-sm whitespace-nowrap max-md:h-10",
              one === value ? "border-accent font-semibold" : "border-transparent text-fg-2 hover:text-fg",
            )}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} className="min-w-0">
        {children}
      </div>
    </>
  );
}
