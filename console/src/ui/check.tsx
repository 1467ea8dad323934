import type { InputHTMLAttributes, ReactNode } from "react";
import { cn } from "../lib/cn.ts";

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type" | "size"> {
  label: ReactNode;
  hint?: ReactNode;
}

/** A choice that is on or off, with its name beside it. */
export function Check({ label, hint, className, ...rest }: CheckProps) {
  return (
    <label className={cn("flex items-start gap-2 text-sm max-md:min-h-10", className)}>
      <input {...rest} type="checkbox" className="mt-0.5 size-4 shrink-0" />
      <span className="flex min-w-0 flex-col">
        <span>{label}</span>
        {hint && <span className="text-xs text-fg-2">{hint}</span>}
      </span>
    </label>
  );
}
