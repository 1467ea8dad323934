import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { cn } from "../lib/cn.ts";

/** The props of the button that opens a popover. */
export interface TriggerProps {
  ref: RefObject<HTMLButtonElement | null>;
  popoverTarget: string;
  "aria-expanded": boolean;
  "aria-haspopup": "dialog" | "menu" | "listbox";
}

interface PopoverProps {
  label: string;
  kind?: TriggerProps["aria-haspopup"];
  trigger: (props: TriggerProps) => ReactNode;
  /** Shows the contents. They exist only while the popover is open. */
  children: (close: () => void) => ReactNode;
  className?: string;
}

const GAP = 4;
const MARGIN = 8;

/**
 * Shows something that floats at a button: the browser's own popover, which closes on Escape and on
 * a click beside it, and needs no style in the page.
 */
export function Popover({ label, kind = "dialog", trigger, children, className }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const element = panel.current;
    const onToggle = (event: Event) => setOpen((event as ToggleEvent).newState === "open");
    element?.addEventListener("toggle", onToggle);
    return () => element?.removeEventListener("toggle", onToggle);
  }, []);
  useLayoutEffect(() => {
    if (!isOpen || !button.current || !panel.current) return;
    placeAt(panel.current, button.current);
    panel.current.querySelector<HTMLElement>("[data-autofocus], input, [role=menuitem]")?.focus();
  }, [isOpen]);
  const close = () => {
    panel.current?.hidePopover();
    button.current?.focus();
  };
  return (
    <>
      {trigger({ ref: button, popoverTarget: id, "aria-expanded": isOpen, "aria-haspopup": kind })}
      <div
        ref={panel}
        id={id}
        popover="auto"
        {...(kind === "dialog" ? { role: "dialog", "aria-label": label } : {})}
        className={cn("max-w-[calc(100vw-16px)] rounded-lg border border-border bg-surface shadow-float", className)}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}

/** Places a box below a button, or above it if there is more room, inside of the window. */
function placeAt(box: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = at.bottom + GAP;
  const isBelow = below + height <= innerHeight - MARGIN || at.top < innerHeight - at.bottom;
  const left = at.left + width > innerWidth - MARGIN ? at.right - width : at.left;
  box.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))}px`;
  box.style.top = `${Math.max(MARGIN, isBelow ? below : at.top - height - GAP)}px`;
  box.style.maxHeight = `${Math.max(160, isBelow ? innerHeight - below - MARGIN : at.top - GAP - MARGIN)}px`;
  box.style.overflow = "auto";
}
