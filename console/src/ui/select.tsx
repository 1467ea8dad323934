import { ChevronDown } from "lucide-react";
import { type SelectHTMLAttributes, useLayoutEffect, useRef } from "react";
import { cn } from "../lib/cn.ts";
import { Options } from "./options.tsx";
import { FIELD } from "./variants.ts";

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  of: Readonly<Record<string, string>> | readonly string[];
  bare?: boolean;
}

/** The browser's own choice of one of several values: phones show it in their own way. */
export function Select({ of, bare = false, className, children, ...rest }: SelectProps) {
  const box = useRef<HTMLSelectElement>(null);
  const { defaultValue } = rest;
  // Preact selects a default only among options that are direct children.
  useLayoutEffect(() => {
    if (box.current && defaultValue !== undefined) box.current.value = String(defaultValue);
  }, [defaultValue]);
  return (
    <span className={cn("relative inline-flex min-w-0 items-center", className)}>
      <select
        ref={box}
        {...rest}
        className={cn(FIELD.base, FIELD.sizes.normal, bare ? FIELD.bare : FIELD.look, "appearance-none ps-2.5 pe-7")}
      >
        {children}
        <Options of={of} />
      </select>
      <ChevronDown aria-hidden="true" className="pointer-events-none absolute end-2 size-3.5 text-fg-3" />
    </span>
  );
}
