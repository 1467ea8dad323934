import { ChevronDown, X } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";
import { texts } from "../texts/texts.ts";
import { Combobox, type ComboboxOption } from "./combobox.tsx";
import { Popover, type TriggerProps } from "./popover.tsx";

const CHIP_CLASS =
  "inline-flex h-7 max-w-56 shrink-0 items-center gap-1 rounded-full border px-3 text-sm transition-colors max-md:min-h-9";
const OFF_CLASS = "border-dashed border-border-strong text-fg-2 hover:bg-hover hover:text-fg";
const ON_CLASS = "border-accent-soft bg-accent-soft text-accent";

interface ChipProps {
  /** The name of the filter, shown while it is not set. */
  label: string;
  /** The chosen value as it is shown; undefined: the filter is not set. */
  shown: string | undefined;
  onClear: () => void;
}

/** The chips of a page. On a phone they are one line that scrolls. */
export function Chips({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <fieldset
      aria-label={label}
      className={cn(
        "flex min-w-0 flex-wrap items-center gap-2 max-md:-mx-4 max-md:w-[calc(100%+2rem)] max-md:flex-nowrap max-md:overflow-x-auto max-md:px-4",
        className,
      )}
    >
      {children}
    </fieldset>
  );
}

/** A filter that is set or not: a chip that opens a choice, and a cross that unsets it. */
export function ChoiceChip({
  label,
  shown,
  onClear,
  ...rest
}: ChipProps & {
  value: string;
  options: readonly ComboboxOption[];
  free?: boolean;
  onChoose: (value: string) => void;
}) {
  return (
    <Frame label={label} shown={shown} onClear={onClear}>
      <Combobox
        {...rest}
        label={label}
        trigger={(props) => <ChipButton label={label} shown={shown} trigger={props} />}
      />
    </Frame>
  );
}

/** A filter whose choice is any form. */
export function FormChip({
  label,
  shown,
  onClear,
  children,
}: ChipProps & { children: (close: () => void) => ReactNode }) {
  return (
    <Frame label={label} shown={shown} onClear={onClear}>
      <Popover
        label={label}
        className="w-72 p-3"
        trigger={(props) => <ChipButton label={label} shown={shown} trigger={props} />}
      >
        {children}
      </Popover>
    </Frame>
  );
}

/** A filter that is on or off. */
export function ToggleChip({ label, on, onToggle }: { label: string; on: boolean; onToggle: (on: boolean) => void }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={() => onToggle(!on)}
      className={cn(CHIP_CLASS, on ? ON_CLASS : OFF_CLASS)}
    >
      <span className="truncate">{label}</span>
      {on && <X aria-hidden="true" className="size-3.5" />}
    </button>
  );
}

/** The part of a chip that opens its choice. Its end is straight where the cross stands beside it. */
function ChipButton({ label, shown, trigger }: Pick<ChipProps, "label" | "shown"> & { trigger: TriggerProps }) {
  return (
    <button
      type="button"
      {...trigger}
      className={cn(
        CHIP_CLASS,
        shown === undefined ? OFF_CLASS : ON_CLASS,
        shown && "rounded-e-none border-e-0 pe-1.5",
      )}
    >
      <ChipText label={label} shown={shown} />
    </button>
  );
}

function ChipText({ label, shown }: { label: string; shown: string | undefined }) {
  return (
    <>
      <span className="truncate">{shown === undefined ? label : texts.ui.filter(label, shown)}</span>
      {shown === undefined && <ChevronDown aria-hidden="true" className="size-3.5 shrink-0" />}
    </>
  );
}

function Frame({ label, shown, onClear, children }: ChipProps & { children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full shrink-0 items-center">
      {children}
      {shown !== undefined && (
        <button
          type="button"
          aria-label={texts.ui.clearFilter(label)}
          onClick={onClear}
          className={cn(CHIP_CLASS, ON_CLASS, "rounded-s-none border-s-0 ps-1 pe-2")}
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
    </span>
  );
}
