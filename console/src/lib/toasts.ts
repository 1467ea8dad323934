import { useSyncExternalStore } from "react";

export interface Toast {
  id: number;
  text: string;
  /** The function that the button Undo calls; undefined: the toast has no such button. */
  undo?: (() => unknown) | undefined;
  /** Whether it says that something failed. */
  failed?: boolean | undefined;
}

/** How long a toast stays: as long as an action can be undone. */
export const TOAST_MS = 10_000;
const MOST = 4;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** Tells the user that something was done. @returns a function that takes it off the screen */
export function toast(text: string, options: Omit<Toast, "id" | "text"> = {}): () => void {
  const id = ++last;
  set([...toasts, { ...options, id, text }].slice(-MOST));
  return () => dismiss(id);
}

export function dismiss(id: number): void {
  set(toasts.filter((one) => one.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(listen, () => toasts);
}

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
