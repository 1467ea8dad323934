import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

/** Reads a choice that this browser remembers. */
export function readPreference(name: string): string | undefined {
  return localStorage.getItem(`recollect.${name}`) ?? undefined;
}

export function writePreference(name: string, value: string | undefined): void {
  if (value === undefined) localStorage.removeItem(`recollect.${name}`);
  else localStorage.setItem(`recollect.${name}`, value);
  for (const listener of listeners) listener();
}

/** Returns a choice that this browser remembers, and a function that changes it. */
export function usePreference(name: string): [string | undefined, (value: string | undefined) => void] {
  const value = useSyncExternalStore(listen, () => readPreference(name));
  return [value, (next) => writePreference(name, next)];
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
