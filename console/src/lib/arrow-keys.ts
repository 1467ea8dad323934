import type { KeyboardEvent } from "react";

/** Moves the focus between the buttons of a list with the arrow keys, Home and End. */
export function walkButtons(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY }[event.key];
  if (step === undefined) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("li > button")].sort(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  if (buttons.length === 0) return;
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = at < 0 ? 0 : Math.min(buttons.length - 1, Math.max(0, at + step));
  event.preventDefault();
  buttons[next]?.focus();
  buttons[next]?.scrollIntoView({ block: "nearest" });
}
