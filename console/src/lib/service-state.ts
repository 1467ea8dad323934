import { useSyncExternalStore } from "react";
import { RecollectError } from "recollect/client";

/** Whether the service answers, and whether it accepts the key. */
export type ServiceState = "ok" | "away" | "refused";

let state: ServiceState = "ok";
const listeners = new Set<() => void>();

/** Notes the outcome of a request, as far as it says something about the service or the key. */
export function noteOutcome(error?: unknown): void {
  if (error === undefined) {
    if (state === "away") set("ok");
    return;
  }
  if (!(error instanceof RecollectError)) return;
  if (error.status === 401) set("refused");
  else if (error.code === "service_unreachable") set("away");
}

/** Notes that the user has signed in again. */
export function noteSignedIn(): void {
  set("ok");
}

export function useServiceState(): ServiceState {
  return useSyncExternalStore(listen, () => state);
}

function set(next: ServiceState): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
