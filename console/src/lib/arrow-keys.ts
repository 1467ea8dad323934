import type { KeyboardEvent } from "react";
import { stepDown } from "./step-of.ts";

/** Moves the focus between the rows of a list with the arrow keys, Home and End. */
export function walkRows(event: KeyboardEvent<HTMLElement>): void {
  const step = stepDown(event.key);
  if (step === undefined) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("[data-row], .row-button")].sort(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement as HTMLButtonElement);
  const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step));
  event.preventDefault();
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: "nearest" });
}
