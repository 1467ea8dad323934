import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";

interface ToggleProps {
  on: boolean;
  onToggle: (on: boolean) => void;
  disabled?: boolean;
  "aria-label"?: string;
  "aria-describedby"?: string;
  children: ReactNode;
}

/** A switch, with its state in words beside it. */
export function Toggle({ on, onToggle, disabled = false, children, ...aria }: ToggleProps) {
  return (
    <button
      {...aria}
      type="button"
      role="switch"
      aria-checked={on}
      disabled={disabled}
      onClick={() => onToggle(!on)}
      className="flex h-8 items-center gap-2 self-start text-sm disabled:opacity-55 max-md:min-h-10"
    >
      <span
        aria-hidden="true"
        className={cn(
          "flex h-5 w-9 items-center rounded-full p-0.5 transition-colors",
          on ? "justify-end bg-accent" : "bg-border-strong",
        )}
      >
        <span className="size-4 rounded-full bg-surface shadow-sm" />
      </span>
      {children}
    </button>
  );
}
