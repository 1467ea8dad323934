import { useEffect, useRef } from "react";

const DELAY_MS = 350;

/**
 * Shows the text of `data-tip` at the element that the pointer rests on or that has the focus. There
 * is one tooltip for the whole page. Screen readers read the element's own name instead.
 */
export function Tooltip() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(timer);
      if (box.current?.matches(":popover-open")) box.current.hidePopover();
    };
    const show = (event: Event) => {
      const element = (event.target as Element | null)?.closest?.<HTMLElement>("[data-tip]");
      hide();
      if (!element || (event.type === "focusin" && !element.matches(":focus-visible"))) return;
      timer = setTimeout(() => box.current && element.isConnected && placeAt(box.current, element), DELAY_MS);
    };
    const events = ["pointerover", "focusin"] as const;
    for (const name of events) addEventListener(name, show);
    for (const name of ["pointerdown", "keydown", "focusout", "scroll"] as const) addEventListener(name, hide, true);
    return () => {
      hide();
      for (const name of events) removeEventListener(name, show);
      for (const name of ["pointerdown", "keydown", "focusout", "scroll"] as const)
        removeEventListener(name, hide, true);
    };
  }, []);
  return (
    <div
      ref={box}
      popover="manual"
      aria-hidden="true"
      className="pointer-events-none rounded bg-inverse px-2 py-1 text-xs text-inverse-fg"
    />
  );
}

function placeAt(box: HTMLElement, element: HTMLElement): void {
  box.textContent = element.dataset.tip ?? "";
  box.showPopover();
  const at = element.getBoundingClientRect();
  const left = Math.min(Math.max(4, at.left + at.width / 2 - box.offsetWidth / 2), innerWidth - box.offsetWidth - 4);
  const top = at.bottom + 4 + box.offsetHeight > innerHeight ? at.top - box.offsetHeight - 4 : at.bottom + 4;
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}
