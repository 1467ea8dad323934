import { useSyncExternalStore } from "react";
import { type Address, addressOf, formatAddress, parseAddress, type Target } from "./address.ts";

/*
 * The browser's history of addresses after `#`. docs/decisions/0081-console-on-preact.md compares
 * it with a library.
 */

/** Asks whether the user may leave. `go` navigates after all. */
export interface Guard {
  holds(current: Address, next: Address): boolean;
  ask(go: () => void): void;
}

const listeners = new Set<() => void>();
let current = parseAddress(location.hash);
let guard: Guard | undefined;
/** The place of the current entry in this tab's history, which tells back from forward. */
let place = placeOf(history.state) ?? 0;
/** How many of the next `popstate` events are caused by this file, not by the user. */
let ownSteps = 0;
let isAllowed = false;

history.replaceState({ ...history.state, place }, "");
addEventListener("popstate", onPop);

/** Navigates to a target. `replace` makes no new entry in the history. */
export function navigate({ replace = false, ...target }: Target & { replace?: boolean }): void {
  const next = addressOf(target);
  if (formatAddress(next) === formatAddress(current)) return;
  if (isHeld(next)) guard?.ask(() => enter(next, replace));
  else enter(next, replace);
}

/** Sets the guard that may hold the user back. @returns a function that removes it */
export function setGuard(next: Guard): () => void {
  guard = next;
  return () => {
    guard = undefined;
  };
}

/** Returns the current address, and renders again when it changes. */
export function useCurrentAddress(): Address {
  return useSyncExternalStore(listen, () => current);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function isHeld(next: Address): boolean {
  return !isAllowed && guard?.holds(current, next) === true;
}

function enter(next: Address, replace: boolean): void {
  if (!replace) place++;
  history[replace ? "replaceState" : "pushState"]({ place }, "", formatAddress(next));
  show(next);
}

function show(next: Address): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Follows the back and forward buttons, and addresses that the user types. */
function onPop(event: PopStateEvent): void {
  if (ownSteps > 0) {
    ownSteps--;
    return;
  }
  const next = parseAddress(location.hash);
  const to = placeOf(event.state) ?? place + 1;
  const steps = to - place;
  if (steps !== 0 && isHeld(next)) {
    // The browser has moved already. It is moved back until the user has decided.
    ownSteps++;
    history.go(-steps);
    guard?.ask(() => {
      isAllowed = true;
      history.go(steps);
    });
    return;
  }
  isAllowed = false;
  place = to;
  if (placeOf(event.state) === undefined) history.replaceState({ place }, "");
  show(next);
}

function placeOf(state: unknown): number | undefined {
  const found = (state as { place?: unknown } | null)?.place;
  return typeof found === "number" ? found : undefined;
}
