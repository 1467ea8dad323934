import { Check, Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { cn } from "../lib/cn.ts";
import { stepDown } from "../lib/step-of.ts";
import { texts } from "../texts/texts.ts";
import { Popover, type TriggerProps } from "./popover.tsx";

export interface ComboboxOption {
  value: string;
  label: string;
  /** Shown at the end of the line, such as a count. */
  hint?: string | undefined;
}

interface ComboboxProps {
  label: string;
  value: string;
  options: readonly ComboboxOption[];
  onChoose: (value: string) => void;
  trigger: (props: TriggerProps) => ReactNode;
  /** Whether a typed text that is none of the options can be chosen too. */
  free?: boolean;
  /** Actions below the options. */
  footer?: (close: () => void) => ReactNode;
}

/** A choice of one of many values, which typing narrows. */
export function Combobox({ label, trigger, footer, ...rest }: ComboboxProps) {
  return (
    <Popover label={label} trigger={trigger} className="w-72 p-1">
      {(close) => (
        <>
          <Choices {...rest} label={label} close={close} />
          {footer?.(close)}
        </>
      )}
    </Popover>
  );
}

const MOST_SHOWN = 200;

type ChoicesProps = Omit<ComboboxProps, "trigger" | "footer"> & { close: () => void };

function Choices({ label, value, options, onChoose, free = false, close }: ChoicesProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const shown = narrowed(options, typed, free);
  const choose = (option: ComboboxOption | undefined) => {
    if (!option) return;
    close();
    onChoose(option.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepDown(event.key);
    if (step !== undefined) setAt((now) => Math.max(0, Math.min(shown.length - 1, now + step)));
    else if (event.key === "Enter") choose(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <span className="relative mb-1 flex items-center">
        <Search aria-hidden="true" className="pointer-events-none absolute start-2 size-4 text-fg-3" />
        <input
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={shown[at] && `${id}-${at}`}
          autoComplete="off"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="h-8 w-full rounded bg-sunken ps-8 pe-2 text-sm"
        />
      </span>
      <div role="listbox" id={id} aria-label={label} className="max-h-72 overflow-auto" tabIndex={-1}>
        {shown.map((option, index) => (
          <Choice
            key={option.value}
            id={`${id}-${index}`}
            option={option}
            chosen={option.value === value}
            active={index === at}
            onChoose={() => choose(option)}
          />
        ))}
      </div>
      {shown.length === 0 && <p className="px-2 py-3 text-sm text-fg-3">{texts.ui.noChoice}</p>}
    </>
  );
}

interface ChoiceProps {
  id: string;
  option: ComboboxOption;
  chosen: boolean;
  active: boolean;
  onChoose: () => void;
}

function Choice({ id, option, chosen, active, onChoose }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys for all options.
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option.
    <div
      role="option"
      id={id}
      aria-selected={chosen}
      ref={active ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
      onClick={onChoose}
      className={cn(
        "flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 text-sm hover:bg-hover max-md:min-h-10",
        active && "bg-hover",
      )}
    >
      <Check aria-hidden="true" className={cn("size-3.5 shrink-0 text-accent", !chosen && "invisible")} />
      <span dir="auto" className="min-w-0 grow truncate">
        {option.label}
      </span>
      {option.hint !== undefined && <span className="tabular text-xs text-fg-3">{option.hint}</span>}
    </div>
  );
}

function narrowed(options: readonly ComboboxOption[], typed: string, free: boolean): readonly ComboboxOption[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return options.slice(0, MOST_SHOWN);
  const found = options.filter(({ label, value }) => `${label} ${value}`.toLowerCase().includes(wanted));
  const isNew = free && !options.some(({ value }) => value.toLowerCase() === wanted);
  return [...(isNew ? [{ value: typed.trim(), label: typed.trim() }] : []), ...found].slice(0, MOST_SHOWN);
}
