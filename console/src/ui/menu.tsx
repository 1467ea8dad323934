import type { LucideIcon } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import { cn } from "../lib/cn.ts";
import { stepDown } from "../lib/step-of.ts";
import { Popover, type TriggerProps } from "./popover.tsx";

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  onChoose: () => void;
  danger?: boolean;
  disabled?: boolean;
}

interface MenuProps {
  label: string;
  trigger: (props: TriggerProps) => ReactNode;
  items: readonly (MenuItem | undefined | false)[];
  /** Shown above the items, and not one of them. */
  head?: ReactNode;
}

/** A list of actions that floats at a button. The arrow keys walk it. */
export function Menu({ label, trigger, items, head }: MenuProps) {
  return (
    <Popover label={label} kind="menu" trigger={trigger} className="min-w-48 p-1">
      {(close) => (
        <>
          {head}
          <div role="menu" aria-label={label} onKeyDown={walk} tabIndex={-1}>
            {items.filter(isItem).map((item) => (
              <Item key={item.label} item={item} close={close} />
            ))}
          </div>
        </>
      )}
    </Popover>
  );
}

function Item({
  item: { label, icon: Icon, onChoose, danger, disabled },
  close,
}: {
  item: MenuItem;
  close: () => void;
}) {
  return (
    <button
      type="button"
      role="menuitem"
      disabled={disabled}
      onClick={() => {
        close();
        onChoose();
      }}
      className={cn(
        "flex w-full items-center gap-2 rounded px-2 py-1.5 text-start text-sm hover:bg-hover focus-visible:bg-hover disabled:opacity-55 max-md:min-h-10",
        danger && "text-bad",
      )}
    >
      {Icon && <Icon aria-hidden="true" className="size-4 shrink-0" />}
      {label}
    </button>
  );
}

function isItem(item: MenuItem | undefined | false): item is MenuItem {
  return item !== undefined && item !== false;
}

function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = stepDown(event.key);
  if (step === undefined) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("[role=menuitem]:not(:disabled)")];
  const at = items.indexOf(document.activeElement as HTMLButtonElement);
  items[Math.max(0, Math.min(items.length - 1, at + step))]?.focus();
}
